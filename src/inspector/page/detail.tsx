import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldFate, HookRow } from '../../protocol/index.ts';
import { Waterfall } from './waterfall.tsx';
import { fetchStory, type Story, type Summary, sendAnswer } from './wire.ts';
import { counted, outcomes, took, verdicts } from './words.ts';

const LONG = 2_000;

interface TextProps {
  readonly label: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}

/** Whatever a hook or an agent said: text, never markup, and cut until somebody wants all of it. */
const Text = ({ label, value, isOpen = false }: TextProps) => {
  const [isWhole, setWhole] = useState(false);
  if (value === undefined || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const isLong = text.length > LONG;
  return (
    <details class="text" open={isOpen}>
      <summary>
        {label} <small>{counted(text.length, 'character')}</small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too */}
      <pre tabIndex={0}>{isLong && !isWhole ? `${text.slice(0, LONG)} …` : text}</pre>
      {isLong ? (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : 'all of it'}
        </button>
      ) : null}
    </details>
  );
};

const fateText = (fate: FieldFate): string => {
  if (fate.fate === 'overridden') return `overridden by ${fate.by}`;
  return 'note' in fate ? `${fate.fate}: ${fate.note}` : fate.fate;
};

const sourceText = ({ source }: HookRow): string => {
  const { kind, extension, file, line } = source;
  const at = file === undefined ? '' : ` ${file}${line === undefined ? '' : `:${line}`}`;
  return `${kind}${extension === undefined ? '' : ` ${extension}`}${at}`;
};

const endOf = ({ planned, reason, outcome, code, durationMs, exitCode, signal }: HookRow): string => {
  if (outcome === undefined) return `skipped: ${reason ?? planned}`;
  const parts = [
    outcomes[outcome] ?? outcome,
    code,
    durationMs === undefined ? undefined : took(durationMs),
    exitCode === undefined ? undefined : `exit ${exitCode}`,
    signal,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
};

const Row = ({ row }: { readonly row: HookRow }) => (
  <li class={`row ${row.outcome === undefined ? 'skipped' : `outcome-${row.outcome}`}`}>
    <h4>
      {row.name} <small>{endOf(row)}</small>
    </h4>
    <p class="source">
      {sourceText(row)}
      {row.matcher === undefined ? '' : `, matcher ${row.matcher}`}
      {row.dialect === undefined ? '' : `, written for ${row.dialect}`}
      {row.recheck ? ', asked once more' : ''}
      {row.observed ? ', observed only' : ''}
      {row.warm === undefined ? '' : `, warm ${row.warm}`}
    </p>
    {row.message === undefined ? null : <p class="message">{row.message}</p>}
    {row.hint === undefined ? null : (
      <p class="fix">
        <b>To do:</b> {row.hint}
      </p>
    )}
    {row.warnings?.map(({ code, message, fix }) => (
      <p class="fix" key={code + message}>
        {message}
        {fix === undefined ? '' : `; ${fix}`}
      </p>
    ))}
    {row.fields === undefined || Object.keys(row.fields).length === 0 ? null : (
      <dl>
        {Object.entries(row.fields).map(([name, fate]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={`fate-${fate.fate}`}>{fateText(fate)}</dd>
          </div>
        ))}
      </dl>
    )}
    <Text label="answer" value={row.output} />
    <Text label="stdout" value={row.stdoutHead} />
    <Text label="stderr" value={row.stderrHead} />
  </li>
);

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
      {answer === undefined ? (
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
  const { word, mark } = verdicts[summary.verdict] ?? { word: summary.verdict, mark: '' };
  const shown = story?.summary.id === summary.id ? story : undefined;
  const rows = shown?.trace?.rows ?? [];
  const ran = rows.filter(({ outcome }) => outcome !== undefined);
  const skipped = rows.filter(({ outcome }) => outcome === undefined);
  return (
    <article class="detail" aria-label="Request">
      <button type="button" class="back" onClick={onClose}>
        Back to the list
      </button>
      <h2 tabIndex={-1} ref={heading} class={`verdict-${summary.verdict}`}>
        {summary.event} {summary.subject ?? ''}{' '}
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {summary.state === 'done' ? word : summary.state}
        </span>
      </h2>
      {summary.reason === undefined ? null : <p class="why">{summary.reason}</p>}
      <p class="source">
        {summary.id}
        {summary.ms === undefined ? '' : `, ${took(summary.ms)}`}
        {shown?.line === undefined ? '' : `, line ${shown.line} of the session`}
      </p>
      {problem === '' ? null : <p role="alert">{problem}</p>}
      {shown === undefined ? null : (
        <>
          <Ask id={summary.id} story={shown} answers={answers} />
          <Text label="what the hooks read" value={payloadOf(shown)} isOpen />
          <Text label="what came of it" value={outputOf(shown)} />
          {shown.messages.map(({ hook, message }, index) => (
            <p class="message" key={index}>
              <b>{hook}:</b> {message}
            </p>
          ))}
          <Waterfall story={shown} />
          {shown.question !== undefined ? null : ran.length === 0 ? (
            <p>{shown.trace === undefined ? 'No trace came with this request.' : 'No hook ran.'}</p>
          ) : (
            <section aria-label="Hooks">
              <h3>Hooks that ran</h3>
              <ul class="rows">
                {ran.map((row, index) => (
                  <Row key={index} row={row} />
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
          {shown.redacted.length === 0 ? null : <p class="source">Secrets are marked: {shown.redacted.join(', ')}</p>}
        </>
      )}
    </article>
  );
};
