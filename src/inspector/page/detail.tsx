import { useEffect, useRef, useState } from 'preact/hooks';
import { Row } from './row.tsx';
import { Text } from './text.tsx';
import { Verdict } from './verdict.tsx';
import { Waterfall } from './waterfall.tsx';
import { fetchStory, type Story, type Summary, sendAnswer } from './wire.ts';
import { counted, took } from './words.ts';

const Ask = ({ id, story, answers }: { readonly id: string; readonly story: Story; readonly answers: boolean }) => {
  const [problem, setProblem] = useState('');
  const { question } = story;
  if (question === undefined) return null;
  const reply = (approved: boolean): void => {
    sendAnswer(id, approved).catch((error: Error) => setProblem(error.message));
  };
  const { answer } = question;
  return (
    <section class="question" aria-label="Question">
      <h3>A hook asks: {question.reason}</h3>
      {answer === undefined && Date.parse(question.expiresAt) <= Date.now() ? (
        <p>The time ran out without an answer, so it was not approved.</p>
      ) : answer === undefined ? (
        <>
          <p>
            until {new Date(question.expiresAt).toLocaleTimeString()}
            {answers ? '' : '; open the page with --answer to answer it here'}
          </p>
          {answers ? (
            <p>
              <button type="button" class="yes" onClick={() => reply(true)}>
                Approve
              </button>{' '}
              <button type="button" class="no" onClick={() => reply(false)}>
                Deny
              </button>
            </p>
          ) : null}
        </>
      ) : (
        <p>
          {answer.approved ? 'approved' : 'denied'}
          {answer.by === undefined ? '' : ` by ${answer.by}`}
        </p>
      )}
      {problem === '' ? null : <p role="alert">{problem}</p>}
    </section>
  );
};

const payloadOf = ({ request, question }: Story): unknown => {
  if (request === undefined) return question?.toolInput;
  return 'context' in request ? request.context : (request.payload ?? request.input);
};

const outputOf = ({ answer }: Story): unknown => {
  if (answer === undefined) return undefined;
  return answer.error ?? ('output' in answer ? answer.output : answer.result);
};

interface DetailProps {
  readonly summary: Summary;
  readonly answers: boolean;
  readonly isOpened: number;
  readonly onClose: () => void;
}

export const Detail = ({ summary, answers, isOpened, onClose }: DetailProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const [story, setStory] = useState<Story>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setProblem('');
    fetchStory(summary.id).then(
      (found) => isCurrent && setStory(found),
      (error: Error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [summary]);
  useEffect(() => {
    if (isOpened > 0) heading.current?.focus();
  }, [isOpened]);
  const shown = story?.summary.id === summary.id ? story : undefined;
  const rows = shown?.trace?.rows ?? [];
  const inputs = shown?.inputs ?? [];
  const ran = rows.filter(({ outcome }) => outcome !== undefined);
  const skipped = rows.filter(({ outcome }) => outcome === undefined);
  return (
    <article class="detail" aria-label="Request">
      <button type="button" class="close" onClick={onClose}>
        Close
      </button>
      <h2 tabIndex={-1} ref={heading}>
        <span class="event">{summary.event}</span> {summary.subject ?? ''}{' '}
        <Verdict verdict={summary.verdict} state={summary.state} />
        {summary.gist === undefined ? null : <code class="gist">{summary.gist}</code>}
      </h2>
      {summary.reason === undefined ? null : <p class={`why is-${summary.verdict}`}>{summary.reason}</p>}
      <p class="source">
        {summary.id}
        {summary.ms === undefined ? '' : `, ${took(summary.ms)}`}
        {shown?.line === undefined ? '' : `, line ${shown.line} of the session`}
      </p>
      {problem === '' ? null : <p role="alert">{problem}</p>}
      {shown === undefined ? null : (
        <>
          <Ask id={summary.id} story={shown} answers={answers} />
          <Waterfall story={shown} />
          <Text label="input" value={payloadOf(shown)} isOpen />
          {shown.messages.map(({ hook, message }, index) => (
            <p class="message" key={index}>
              <b>{hook}:</b> {message}
            </p>
          ))}
          {shown.question !== undefined ? null : ran.length === 0 ? (
            <p>{shown.trace === undefined ? 'No trace came with this request.' : 'No hook ran.'}</p>
          ) : (
            <section aria-label="Hooks">
              <h3>Hooks that ran</h3>
              <ul class="rows">
                {ran.map((row, index) => (
                  <Row key={index} row={row} input={inputs[rows.indexOf(row)]} />
                ))}
              </ul>
            </section>
          )}
          {skipped.length === 0 ? null : (
            <details>
              <summary>{counted(skipped.length, 'hook')} did not run</summary>
              <ul class="rows">
                {skipped.map((row, index) => (
                  <Row key={index} row={row} />
                ))}
              </ul>
            </details>
          )}
          <Text label="merged output" value={outputOf(shown)} />
          {shown.redacted.length === 0 ? null : <p class="source">Secrets are marked: {shown.redacted.join(', ')}</p>}
        </>
      )}
    </article>
  );
};
