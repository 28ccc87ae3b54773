import { isRecord, shorten } from '../../kit/index.ts';
import { type FieldFate, type HookOutput, type HookRow, noticeText, type RowSource } from '../../protocol/index.ts';
import { type Span, styled, type Text, type TextLine } from '../terminal/text.ts';
import { labelled } from './layout.ts';
import { shownPlace } from './problem-lines.ts';
import { shownName } from './shown-name.ts';
import { decisionIn, saidPieces, took, verdictPieces } from './verdict-text.ts';

const LABEL_WIDTH = 10;
const INDENT = 4;

/** What a block of a hook is laid out with. */
export interface Page {
  readonly width: number;
  readonly cwd: string;
  /** Whether long values are shown whole. */
  readonly isFull?: boolean | undefined;
}

/** One line of a block: a label, and a text that may need several lines. */
export const entry = (label: string, text: string, { width }: Page, style?: Span['style']): Text =>
  labelled(label, text, { width, indent: INDENT, labelWidth: LABEL_WIDTH, ...(style === undefined ? {} : { style }) });

/** Where a hook is configured: a file and line where there is one, else who brought it. */
export const sourceText = ({ kind, extension, file, line }: RowSource, cwd: string): string => {
  const who = extension === undefined ? kind : `${kind}: ${extension}`;
  const place = shownPlace({ file, line }, cwd);
  return place === undefined ? who : `${place} (${who})`;
};

/** The same of a row, with the agent that the hook was written for. */
export const rowSource = ({ source, dialect }: HookRow, cwd: string): string =>
  dialect === undefined ? sourceText(source, cwd) : `${sourceText(source, cwd)}, for ${dialect}`;

const fateText = (fate: FieldFate): string => {
  switch (fate.fate) {
    case 'applied':
      return 'applied';
    case 'overridden':
      return `overridden by ${fate.by}`;
    default:
      return `${fate.fate}: ${fate.note}`;
  }
};

/** The value of a field that is named by its path: `hookSpecificOutput.tool_input`. */
const valueAt = (output: unknown, path: string): unknown => {
  let value = output;
  for (const key of path.split('.')) value = isRecord(value) ? value[key] : undefined;
  return value;
};

const MAX_VALUE = 100;

const shownValue = (value: unknown, { isFull }: Page): string => {
  if (value === undefined) return '';
  const text = JSON.stringify(value) ?? '';
  return ` ${isFull ? text : shorten(text, MAX_VALUE)}`;
};

const fieldsText = ({ fields = {}, output }: HookRow, page: Page): Text =>
  Object.entries(fields).flatMap(([name, fate]) => {
    // It says what the answer is about, and changes nothing.
    if (name === 'hookSpecificOutput.hookEventName' && fate.fate === 'applied') return [];
    const text = `${name}${shownValue(valueAt(output, name), page)}: ${fateText(fate)}`;
    return entry('field', text, page, fate.fate === 'applied' ? undefined : 'yellow');
  });

const headOf = (row: HookRow): TextLine => {
  const name = styled('bold', shownName(row.name));
  if (row.planned === 'skip') return ['  ', styled('dim', '– '), name, ` did not run: ${row.reason}`];
  const time = row.durationMs === undefined ? '' : `, ${took(row.durationMs)}`;
  switch (row.outcome) {
    case 'faulted':
      return ['  ', styled('red', '✗ '), name, ` failed: ${row.code}${time}`];
    case 'answered':
      return ['  ', styled('green', '✓ '), name, ` answered${time}`];
    case 'silent':
      return ['  ', styled('dim', '· '), name, ` ran and had no opinion${time}`];
    case 'background':
      return ['  ', styled('dim', '· '), name, ' runs in the background'];
    default:
      return ['  ', styled('dim', '· '), name, ' has not finished'];
  }
};

const endingText = ({ exitCode, signal }: HookRow): string | undefined => {
  if (signal !== undefined) return `killed by ${signal}`;
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
};

/** The answer without the courtesy of a decision. */
const context = ({ output = {} }: HookRow): HookOutput => {
  const { decision: _courtesy, systemMessage: _besides, ...rest } = output;
  return rest;
};

const answerText = (row: HookRow, page: Page): Text => {
  if (row.output === undefined || row.outcome === 'silent') return [];
  // Plain text and a fault have a decision only for the sake of older callers; it has no part in the answer.
  const hasOpinion = row.fields?.decision !== undefined || row.fields?.continue !== undefined;
  const said = (
    hasOpinion ? verdictPieces(decisionIn(row.eventName, row.output)) : saidPieces(row.eventName, context(row))
  )
    .map((piece) => (typeof piece === 'string' ? piece : piece.text))
    .join('');
  const { systemMessage } = row.output;
  const message = systemMessage === undefined ? [] : entry('message', systemMessage, page);
  return [...entry('answer', said, page), ...message];
};

/** A hook is switched on with a command here, whatever a program would call. */
const fixFor = ({ name, planned, reason, hint }: HookRow): string | undefined => {
  if (planned !== 'skip') return undefined;
  return reason === 'disabled' ? `hookwright enable ${JSON.stringify(name)}` : hint;
};

/** A hook that would have run, had only others not been asked for: there is nothing to repair. */
export const leftOutBlock = (row: HookRow, page: Page): Text => [
  ['  ', styled('dim', '– '), styled('bold', row.name), ' was left out by --hook'],
  ...entry('from', rowSource(row, page.cwd), page),
];

/** What became of one hook: how it ended, what it answered, and the fate of each field. */
export const ranBlock = (row: HookRow, page: Page): Text => {
  const ending = endingText(row);
  const fix = fixFor(row);
  return [
    headOf(row),
    ...entry('from', rowSource(row, page.cwd), page),
    ...(fix === undefined ? [] : entry('fix', fix, page, 'cyan')),
    ...(row.message === undefined ? [] : entry('why', row.message, page)),
    ...(ending === undefined ? [] : entry('ended', ending, page)),
    ...answerText(row, page),
    ...fieldsText(row, page),
    ...(row.stderrHead !== undefined ? entry('stderr', row.stderrHead, page) : []),
    ...(row.outcome === 'faulted' && row.stdoutHead !== undefined ? entry('stdout', row.stdoutHead, page) : []),
    ...(row.warnings ?? []).flatMap((warning) => entry('warning', noticeText(warning), page, 'yellow')),
  ];
};
