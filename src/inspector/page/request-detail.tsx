// The detail view of one request: decision, hooks, waterfall and messages.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { escapeUnprintable } from '../../kit/index.ts';
import type { FieldFate, HookRow } from '../../protocol/index.ts';
import { fetchRequest, type RequestDetails, type RequestSummary, sendAnswer } from './api-client.ts';
import {
  askOutcomeLabels,
  createAxisMarks,
  formatCount,
  formatDuration,
  outcomeLabels,
  runKindLabels,
  toRunKind,
} from './labels.ts';
import { Verdict } from './verdict.tsx';

const ConfirmationPanel = ({
  id,
  details,
  answers,
}: {
  readonly id: string;
  readonly details: RequestDetails;
  readonly answers: boolean;
}) => {
  const [problem, setProblem] = useState('');
  const { question } = details;
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

const readPayload = ({ request, question }: RequestDetails): unknown => {
  if (request === undefined) return question?.toolInput;
  return 'context' in request ? request.context : (request.payload ?? request.input);
};

const readOutput = ({ answer }: RequestDetails): unknown => {
  if (answer === undefined) return undefined;
  return answer.error ?? ('output' in answer ? answer.output : answer.result);
};

interface DetailProps {
  readonly summary: RequestSummary;
  readonly answers: boolean;
  readonly isOpened: number;
  readonly onClose: () => void;
}

export const RequestDetail = ({ summary, answers, isOpened, onClose }: DetailProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const [details, setDetails] = useState<RequestDetails>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setProblem('');
    fetchRequest(summary.id).then(
      (found) => isCurrent && setDetails(found),
      (error: Error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [summary]);
  useEffect(() => {
    if (isOpened > 0) heading.current?.focus();
  }, [isOpened]);
  const shown = details?.summary.id === summary.id ? details : undefined;
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
        {summary.ms === undefined ? '' : `, ${formatDuration(summary.ms)}`}
        {shown?.line === undefined ? '' : `, line ${shown.line} of the session`}
      </p>
      {problem === '' ? null : <p role="alert">{problem}</p>}
      {shown === undefined ? null : (
        <>
          <ConfirmationPanel id={summary.id} details={shown} answers={answers} />
          {summary.became === undefined || shown.asked === undefined ? null : (
            <p class="became">
              <b>The question:</b> {askOutcomeLabels[summary.became]}
              {shown.asked.by === undefined ? '' : ` by ${shown.asked.by}`}
            </p>
          )}
          <Waterfall details={shown} />
          <LabelledText label="input" value={readPayload(shown)} isOpen />
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
                  <HookRunRow key={index} row={row} input={inputs[rows.indexOf(row)]} />
                ))}
              </ul>
            </section>
          )}
          {skipped.length === 0 ? null : (
            <details>
              <summary>{formatCount(skipped.length, 'hook')} did not run</summary>
              <ul class="rows">
                {skipped.map((row, index) => (
                  <HookRunRow key={index} row={row} />
                ))}
              </ul>
            </details>
          )}
          <LabelledText label="merged output" value={readOutput(shown)} />
          {shown.redacted.length === 0 ? null : <p class="source">Secrets are marked: {shown.redacted.join(', ')}</p>}
        </>
      )}
    </article>
  );
};

const formatFate = (fate: FieldFate): string => {
  if (fate.fate === 'overridden') return `overridden by ${fate.by}`;
  return 'note' in fate ? `${fate.fate}: ${fate.note}` : fate.fate;
};

const formatSource = ({ source }: HookRow): string => {
  const { kind, extension, file, line } = source;
  const at = file === undefined ? '' : ` ${file}${line === undefined ? '' : `:${line}`}`;
  return `${kind}${extension === undefined ? '' : ` ${extension}`}${at}`;
};

const formatRunEnd = ({ planned, reason, outcome, code, durationMs, exitCode, signal }: HookRow): string => {
  if (outcome === undefined) return `skipped: ${reason ?? planned}`;
  const parts = [
    outcomeLabels[outcome] ?? outcome,
    code,
    durationMs === undefined ? undefined : formatDuration(durationMs),
    exitCode === undefined ? undefined : `exit ${exitCode}`,
    signal,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
};

const readReason = ({ output }: HookRow): string | undefined =>
  output?.decision === undefined && output?.reason === undefined
    ? undefined
    : [output.decision, output.reason].filter((part) => part !== undefined && part !== '').join(': ');

const FieldFates = ({ fields }: { readonly fields: NonNullable<HookRow['fields']> }) => (
  <dl class="fields">
    {Object.entries(fields).map(([name, fate]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class={`fate-${fate.fate}`}>{formatFate(fate)}</dd>
      </div>
    ))}
  </dl>
);

const HookRunRow = ({ row, input }: { readonly row: HookRow; readonly input?: unknown }) => {
  const reason = readReason(row);
  const stdin = row.dialect === undefined ? 'stdin' : `stdin, as ${row.dialect} writes it`;
  return (
    <li class={`row ${row.outcome === undefined ? 'skipped is-none' : `is-${toRunKind(row)}`}`}>
      <h4>
        {row.name} <small>{formatRunEnd(row)}</small>
      </h4>
      <p class="source">
        {formatSource(row)}
        {row.matcher === undefined ? '' : `, matcher ${row.matcher}`}
        {row.dialect === undefined ? '' : `, a hook of ${row.dialect}`}
        {row.recheck ? ', run again with the final input' : ''}
        {row.observed ? ', observed only' : ''}
        {row.warm === undefined ? '' : `, warm ${row.warm}`}
      </p>
      {row.message === undefined ? null : <p class="message">{row.message}</p>}
      {reason === undefined ? null : <p class="reason">{reason}</p>}
      {row.hint === undefined ? null : (
        <p class="fix">
          <b>To do:</b> {row.hint}
        </p>
      )}
      {row.warnings?.map(({ code, message, fix }) => (
        <p class="notice" key={code + message}>
          {message}
          {fix === undefined ? null : (
            <>
              {' '}
              <b>To do:</b> {fix}
            </>
          )}
        </p>
      ))}
      {row.fields === undefined || Object.keys(row.fields).length === 0 ? null : <FieldFates fields={row.fields} />}
      <div class="texts">
        <LabelledText label={stdin} value={input} />
        <LabelledText label="answer" value={row.output} />
        <LabelledText label="stdout" value={row.stdoutHead} />
        <LabelledText label="stderr" value={row.stderrHead} />
      </div>
    </li>
  );
};

interface WaterfallBar {
  readonly name: string;
  readonly waited: number;
  readonly started: number;
  readonly ran: number;
  readonly row: HookRow;
}

const measureWait = ({ summary, trace, times }: RequestDetails, row: HookRow, taken: Set<number>): number => {
  const at = times.findIndex(({ hookId }, index) => hookId === row.hookId && !taken.has(index));
  const time = times[at];
  if (time !== undefined) {
    taken.add(at);
    return Math.max(0, time.startedAt - summary.at);
  }
  if (row.startedAt === undefined || trace === undefined) return 0;
  return Math.max(0, Date.parse(row.startedAt) - Date.parse(trace.startedAt));
};

const createBars = (details: RequestDetails): WaterfallBar[] => {
  const taken = new Set<number>();
  return (details.trace?.rows ?? [])
    .filter(({ outcome }) => outcome !== undefined)
    .map((row) => {
      const { name, durationMs = 0, startupMs = 0 } = row;
      const started = Math.min(startupMs, durationMs);
      return { name, row, waited: measureWait(details, row, taken), started, ran: durationMs - started };
    });
};

const measureEnd = ({ waited, started, ran }: WaterfallBar): number => waited + started + ran;

const formatBar = (bar: WaterfallBar): string => {
  const { name, waited, started, ran, row } = bar;
  const start = started > 0 ? `, was started for ${formatDuration(started)}` : '';
  return `${name}: waited ${formatDuration(waited)}${start}, ran ${formatDuration(ran)}, ${outcomeLabels[row.outcome ?? '']}`;
};

const Waterfall = ({ details }: { readonly details: RequestDetails }) => {
  const bars = createBars(details);
  if (bars.length === 0) return null;
  const whole = Math.max(1, details.trace?.durationMs ?? 0, ...bars.map(measureEnd));
  const share = (ms: number): string => `${(ms / whole) * 100}%`;
  return (
    <section aria-label="Waterfall">
      <h3>
        Waterfall{' '}
        <small>
          {formatDuration(whole)} in all{details.trace === undefined ? '' : `, ${details.trace.mode}`}
        </small>
      </h3>
      <div class="scale" aria-hidden="true">
        <span />
        <span class="marks">
          {createAxisMarks(whole).map(({ ms, label }) => (
            <i key={label} style={{ left: share(ms) }}>
              {label}
            </i>
          ))}
        </span>
        <span />
      </div>
      <ol class="waterfall">
        {bars.map((bar, index) => (
          <li key={index} aria-label={formatBar(bar)}>
            <span class="name">
              {bar.name}
              {bar.row.dialect === undefined ? null : <small> {bar.row.dialect}</small>}
            </span>
            <span class="track" aria-hidden="true">
              <i class="waited" style={{ width: share(bar.waited) }} />
              <i class="started" style={{ width: share(bar.started) }} />
              <i class={`ran is-${toRunKind(bar.row)}`} style={{ width: `max(2px, ${share(bar.ran)})` }} />
            </span>
            <span class="ms">{formatDuration(bar.started + bar.ran)}</span>
          </li>
        ))}
      </ol>
      <p class="legend" aria-hidden="true">
        <span>
          <i class="waited" /> waits for a slot
        </span>
        <span>
          <i class="started" /> its process starts
        </span>
        {Object.entries(runKindLabels)
          .filter(([kind]) => bars.some(({ row }) => toRunKind(row) === kind))
          .map(([kind, word]) => (
            <span key={kind}>
              <i class={`ran is-${kind}`} /> {word}
            </span>
          ))}
      </p>
    </section>
  );
};

const MAX_COLLAPSED_CHARACTERS = 2_000;
/** Each coloured token is a DOM element, so longer texts are shown without colours. */
const MAX_COLOURED_CHARACTERS = 20_000;

const JSON_TOKEN_PATTERN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

interface JsonToken {
  readonly text: string;
  readonly kind?: 'key' | 'string' | 'word';
}

const splitJson = (json: string): readonly JsonToken[] => {
  const pieces: JsonToken[] = [];
  let end = 0;
  for (const match of json.matchAll(JSON_TOKEN_PATTERN)) {
    const [whole, string, colon] = match;
    if (match.index > end) pieces.push({ text: json.slice(end, match.index) });
    pieces.push({ text: whole, kind: colon !== undefined ? 'key' : string !== undefined ? 'string' : 'word' });
    end = match.index + whole.length;
  }
  return [...pieces, { text: json.slice(end) }];
};

const ColouredJson = ({ text }: { readonly text: string }) => {
  const pieces = useMemo(() => (text.length > MAX_COLOURED_CHARACTERS ? [{ text }] : splitJson(text)), [text]);
  return (
    <>
      {pieces.map(({ text: piece, kind }: JsonToken, index) =>
        kind === undefined ? (
          piece
        ) : (
          <span key={index} class={`json-${kind}`}>
            {piece}
          </span>
        ),
      )}
    </>
  );
};

interface TextProps {
  readonly label: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}

/** Texts of hooks and agents are never rendered as HTML. */
const LabelledText = ({ label, value, isOpen = false }: TextProps) => {
  const [isWhole, setWhole] = useState(false);
  if (value === undefined || value === '') return null;
  const isPlain = typeof value === 'string';
  const text = isPlain ? value : escapeUnprintable(JSON.stringify(value, undefined, 2));
  const isLong = text.length > MAX_COLLAPSED_CHARACTERS;
  const shown = isLong && !isWhole ? `${text.slice(0, MAX_COLLAPSED_CHARACTERS)} …` : text;
  return (
    <details class="text" open={isOpen}>
      <summary>
        {label} <small>{formatCount(text.length, 'character')}</small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too */}
      <pre tabIndex={0}>{isPlain ? shown : <ColouredJson text={shown} />}</pre>
      {isLong ? (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : 'all of it'}
        </button>
      ) : null}
    </details>
  );
};
