import type { FieldFate, HookRow } from '../../protocol/index.ts';
import { Text } from './text.tsx';
import { kindOfRow, outcomes, took } from './words.ts';

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

/** The reason that a hook gave itself; that of the whole request is another's, perhaps. */
const reasonIn = ({ output }: HookRow): string | undefined =>
  output?.decision === undefined && output?.reason === undefined
    ? undefined
    : [output.decision, output.reason].filter((part) => part !== undefined && part !== '').join(': ');

const Fields = ({ fields }: { readonly fields: NonNullable<HookRow['fields']> }) => (
  <dl class="fields">
    {Object.entries(fields).map(([name, fate]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class={`fate-${fate.fate}`}>{fateText(fate)}</dd>
      </div>
    ))}
  </dl>
);

/** One hook of a request: where it is configured, how it ended, what it said, and what became of each word. */
export const Row = ({ row, input }: { readonly row: HookRow; readonly input?: unknown }) => {
  const reason = reasonIn(row);
  const stdin = row.dialect === undefined ? 'stdin' : `stdin, as ${row.dialect} writes it`;
  return (
    <li class={`row ${row.outcome === undefined ? 'skipped is-none' : `is-${kindOfRow(row)}`}`}>
      <h4>
        {row.name} <small>{endOf(row)}</small>
      </h4>
      <p class="source">
        {sourceText(row)}
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
      {row.fields === undefined || Object.keys(row.fields).length === 0 ? null : <Fields fields={row.fields} />}
      <div class="texts">
        <Text label={stdin} value={input} />
        <Text label="answer" value={row.output} />
        <Text label="stdout" value={row.stdoutHead} />
        <Text label="stderr" value={row.stderrHead} />
      </div>
    </li>
  );
};
