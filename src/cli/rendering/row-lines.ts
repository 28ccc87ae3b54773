/** Renders hooks with their results: a block for each hook in `run` and `why`, and the columns of `list`. */
import { isRecord, readAtPath, shorten } from '../../kit/index.ts';
import {
  type FieldFate,
  type HookRow,
  isUnapproved,
  type Notice,
  noticeText,
  type RowSource,
  shortenHookName,
  skipReasons,
} from '../../protocol/index.ts';
import { explainMatcher } from '../arguments/read-matcher.ts';
import { formatSkipReasonDetail, skipReasonTexts } from '../hook-findings.ts';
import { type Cell, formatLabelParagraph, type ItemColumn, type Page } from './layout.ts';
import { formatCount, formatLocation } from './problem-lines.ts';
import { createSpan, type Span, type Text, type TextLine, toPlainText } from './text.ts';
import { findVerdict, formatDuration, formatOutputPieces, formatVerdictPieces } from './verdict-text.ts';

const LABEL_WIDTH = 10;
const ROW_INDENT = 4;

export const formatLabelledEntry = (
  label: string,
  text: string | undefined,
  { width }: Page,
  style?: Span['style'],
): Text =>
  text === undefined
    ? []
    : formatLabelParagraph(label, text, { width, indent: ROW_INDENT, labelWidth: LABEL_WIDTH, style });

export const formatSource = ({ kind, extension, file, line }: RowSource, cwd: string): string => {
  const who = extension === undefined ? kind : `${kind}: ${extension}`;
  const location = formatLocation({ file, line }, cwd);
  return location === undefined ? who : `${location} (${who})`;
};

export const formatRowSource = ({ source, dialect }: HookRow, cwd: string): string =>
  dialect === undefined ? formatSource(source, cwd) : `${formatSource(source, cwd)}, for ${dialect}`;

const formatFate = (fate: FieldFate): string => {
  switch (fate.fate) {
    case 'applied':
      return 'applied';
    case 'overridden':
      return `overridden by ${fate.by}`;
    default:
      return `${fate.fate}: ${fate.note}`;
  }
};

const MAX_SHOWN_VALUE_LENGTH = 100;

const formatValue = (value: unknown, { isFull }: Page): string => {
  if (value === undefined) return '';
  const text = JSON.stringify(value) ?? '';
  return ` ${isFull ? text : shorten(text, MAX_SHOWN_VALUE_LENGTH)}`;
};

/** The engine gives failed hooks an output for older callers. The hook did not print it. */
const isEngineOutput = ({ outcome, output = {}, fields = {} }: HookRow): boolean =>
  outcome === 'faulted' &&
  Object.keys(output).every((key) => ['decision', 'systemMessage'].includes(key)) &&
  fields.decision === undefined;

const formatFields = ({ fields = {}, output }: HookRow, page: Page): Text =>
  Object.entries(fields).flatMap(([name, fate]) => {
    if (name === 'systemMessage' && fate.fate === 'applied') return [];
    if (name === 'hookSpecificOutput.hookEventName' && fate.fate === 'applied') return [];
    const text = `${name}${formatValue(readAtPath(output, name.split('.')), page)}: ${formatFate(fate)}`;
    return formatLabelledEntry('field', text, page, fate.fate === 'applied' ? undefined : 'yellow');
  });

export const formatFailure = ({ code, exitCode, signal }: Pick<HookRow, 'code' | 'exitCode' | 'signal'>): string => {
  if (signal !== undefined) return `killed by ${signal}`;
  if (code !== undefined && code !== 'exit-code') return code;
  return exitCode === undefined || exitCode === 0 ? '' : `exit code ${exitCode}`;
};

const formatHeadLine = (row: HookRow): TextLine => {
  const name = createSpan('bold', shortenHookName(row.name));
  if (row.planned === 'skip') return ['  ', createSpan('dim', '– '), name, ` did not run: ${row.reason}`];
  const time = row.durationMs === undefined ? '' : `, ${formatDuration(row.durationMs)}`;
  switch (row.outcome) {
    case 'faulted':
      return ['  ', createSpan('red', '✗ '), name, ` failed: ${formatFailure(row)}${time}`];
    case 'answered':
      return ['  ', createSpan('green', '✓ '), name, ` answered${time}`];
    case 'silent':
      return ['  ', createSpan('dim', '· '), name, ` ran and had no opinion${time}`];
    case 'background':
      return ['  ', createSpan('dim', '· '), name, ' runs in the background'];
    default:
      return ['  ', createSpan('dim', '· '), name, ' has not finished'];
  }
};

const formatExit = ({ exitCode, signal, outcome }: HookRow): string | undefined =>
  outcome === 'faulted' ? undefined : formatFailure({ exitCode, signal }) || undefined;

const formatAnswer = (row: HookRow, page: Page): Text => {
  if (row.output === undefined || row.outcome === 'silent' || isEngineOutput(row)) return [];
  // The engine adds a `decision` to plain text and to faults for older callers. The hook did not print it.
  const hasOpinion = row.fields?.decision !== undefined || row.fields?.continue !== undefined;
  const { decision: _courtesy, systemMessage, ...rest } = row.output;
  const pieces = hasOpinion
    ? formatVerdictPieces(findVerdict(row.eventName, row.output))
    : formatOutputPieces(row.eventName, rest);
  return [
    ...formatLabelledEntry('answer', toPlainText(pieces), page),
    ...formatLabelledEntry('message', systemMessage, page),
  ];
};

/** A message that is only one of these words was probably meant as a verdict. */
const VERDICT_WORD_PATTERN = /^\W*(?:deny|denied|block|blocked|allow|allowed|approve|ask|stop|yes|no|true|false)\W*$/i;

/** Lines that interpreters print if a script throws. The hook then did not try to deny. */
const CRASH_PATTERN = /^Traceback |^\s+at |^\w*Error\b.*:|panicked at/m;

const MISSING_PROGRAM_PATTERN = /(?:^|[\s:])([\w.-]+): (?:command )?not found/m;

/** The script exited with 1 and did not crash, so it probably meant to deny. */
const isPlainExitOne = ({ code, exitCode, stderrHead = '' }: HookRow): boolean =>
  code === 'exit-code' && exitCode === 1 && !CRASH_PATTERN.test(stderrHead);

const mistakeFixes: readonly { readonly when: (row: HookRow) => boolean; readonly fix: string }[] = [
  {
    when: (row) => isPlainExitOne(row) && row.fields?.decision === undefined,
    fix: 'exit code 1 is a failure and does not block: to deny, print the reason to stderr and exit with 2',
  },
  {
    when: isPlainExitOne,
    fix: 'exit code 1 is a failure, so onFault decided: to deny itself, print the reason to stderr and exit with 2',
  },
  {
    when: ({ background, exitCode }) => background === true && exitCode === 2,
    fix: 'a hook in the background cannot block, because the agent does not wait for it: remove "background"',
  },
  {
    when: ({ code, outcome, stderrHead = '' }) =>
      outcome === 'silent' && code === undefined && MISSING_PROGRAM_PATTERN.test(stderrHead),
    fix: 'the script went on without a program that is missing: install it, or begin the script with set -e',
  },
  {
    when: ({ outcome, stderrHead = '', background }) =>
      outcome === 'silent' && background !== true && stderrHead !== '',
    fix: 'stderr decides nothing with exit code 0: to deny, print the reason to stderr and exit with 2; an exit in a pipe or in brackets ends only its subshell',
  },
  {
    when: ({ outcome, output }) => outcome === 'answered' && VERDICT_WORD_PATTERN.test(output?.systemMessage ?? ''),
    fix: 'a word alone is a message, not a verdict: print {"decision": "deny", "reason": "…"}',
  },
];

const findFix = (row: HookRow, subject: string | undefined): string | undefined => {
  const { name, planned, reason, hint, eventName, matcher } = row;
  if (planned !== 'skip') return mistakeFixes.find(({ when }) => when(row))?.fix;
  if (reason === 'condition-mismatch') return undefined;
  if (reason === 'matcher-mismatch')
    return explainMatcher(eventName, matcher, { toolName: subject, trigger: subject }).fix;
  if (isUnapproved(reason) && row.message !== undefined) return undefined;
  return reason === 'disabled' ? `hookwright enable ${JSON.stringify(name)}` : hint;
};

const INTERPRETER_FRAME_PATTERN =
  /^\s*(?:at .*\((?:node:|.*[\\/]node_modules[\\/])|at (?:async )?node:|node:internal|Node\.js v\d)/;

const formatStderr = ({ stderrHead = '' }: HookRow, page: Page): Text => {
  const lines = stderrHead.split('\n').filter((line) => line.trim() !== '');
  const own = lines.filter((line) => !INTERPRETER_FRAME_PATTERN.test(line));
  const others = lines.length - own.length;
  const note = others === 0 ? undefined : `(and ${formatCount(others, 'line')} of the interpreter)`;
  return [
    ...own.flatMap((line, index) => {
      const lead = index === 0 ? 0 : line.length - line.trimStart().length;
      const labelWidth = LABEL_WIDTH + lead;
      const { width } = page;
      return formatLabelParagraph(index === 0 ? 'stderr' : '', line.trim(), { width, indent: ROW_INDENT, labelWidth });
    }),
    ...formatLabelledEntry(own.length === 0 ? 'stderr' : '', note, page, 'dim'),
  ];
};

export const LEFT_OUT_HINT = 'It was not selected with --hook.';

const formatLeftOutBlock = (row: HookRow, page: Page): Text => [
  ['  ', createSpan('dim', '– '), createSpan('bold', row.name), ' was left out by --hook'],
  ...formatLabelledEntry('from', formatRowSource(row, page.cwd), page),
];

const formatWarning = (warning: Notice, { message }: HookRow, page: Page): Text =>
  warning.message === message
    ? formatLabelledEntry('fix', warning.fix, page, 'cyan')
    : formatLabelledEntry('warning', noticeText(warning), page, 'yellow');

const isSkipReason = ({ reason }: HookRow, hint: string | undefined): boolean =>
  reason === 'invalid-config' || (isUnapproved(reason) && hint !== skipReasons[reason]);

export interface SubjectAndPayload {
  readonly subject?: string | undefined;
  readonly payload?: unknown;
}

const listPayloadMembers = (payload: unknown): string[] =>
  Object.entries(isRecord(payload) ? payload : {}).flatMap(([key, value]) =>
    key === 'tool_input' && isRecord(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );

const EMPTY_STDERR_NOTE = 'what it prints to stderr would stand here; on stdin it had';

const formatInputHint = (row: HookRow, { subject, payload }: SubjectAndPayload, page: Page): Text => {
  const { eventName, matcher, reason, outcome, exitCode, stderrHead = '', dialect, background } = row;
  if (reason === 'matcher-mismatch' && dialect === undefined && subject !== undefined)
    return formatLabelledEntry(
      'matcher',
      explainMatcher(eventName, matcher, { toolName: subject, trigger: subject }).text,
      page,
    );
  if (reason === 'condition-mismatch')
    return formatLabelledEntry('why', formatSkipReasonDetail(row) ?? skipReasonTexts[reason], page);
  const members = listPayloadMembers(payload);
  const isMute = outcome === 'silent' && exitCode === 0 && stderrHead === '' && background !== true;
  if (!isMute || members.length === 0) return [];
  const why = `it printed nothing and ended with exit code 0; ${EMPTY_STDERR_NOTE} ${members.join(', ')}`;
  return formatLabelledEntry('why', why, page, 'dim');
};

export const formatHookDetail = (row: HookRow, page: Page, fired: SubjectAndPayload = {}): Text => {
  if (row.reason === 'disabled' && row.hint === LEFT_OUT_HINT) return formatLeftOutBlock(row, page);
  const { message } = row;
  const found = findFix(row, fired.subject);
  const fix = message !== undefined && found?.startsWith(message) === true ? undefined : found;
  return [
    formatHeadLine(row),
    ...formatLabelledEntry('from', formatRowSource(row, page.cwd), page),
    ...formatInputHint(row, fired, page),
    ...formatLabelledEntry('why', message === `exited with code ${row.exitCode}` ? undefined : message, page),
    ...formatLabelledEntry(isSkipReason(row, fix) ? 'why' : 'fix', fix, page, 'cyan'),
    ...formatLabelledEntry('ended', formatExit(row), page),
    ...formatAnswer(row, page),
    ...formatFields(row, page),
    ...formatStderr(row, page),
    ...formatLabelledEntry('stdout', row.outcome === 'faulted' ? row.stdoutHead : undefined, page),
    ...(row.warnings ?? []).flatMap((warning) => formatWarning(warning, row, page)),
  ];
};

export const createHookColumns = (cwd: string, withFile: boolean): readonly ItemColumn<HookRow>[] => [
  { title: 'event', min: 8, cell: ({ eventName }) => eventName },
  { title: 'hook', min: 8, cell: ({ name }) => shortenHookName(name) },
  { title: 'matcher', min: 7, cell: ({ matcher = '' }) => matcher },
  { title: 'source', min: 7, keepEnd: true, cell: (row) => formatSourceCell(row, cwd, withFile) },
  { title: 'status', cell: formatStatusCell },
];

export const formatSourceCell = ({ source, dialect }: HookRow, cwd: string, withFile: boolean): string => {
  const location = (withFile ? formatLocation(source, cwd) : undefined) ?? source.kind;
  return dialect === undefined ? location : `${location}, for ${dialect}`;
};

export const formatStatusCell = ({ reason, warnings = [] }: HookRow): Cell => {
  if (reason !== undefined) return createSpan(reason === 'disabled' ? 'dim' : 'red', reason);
  const [warning] = warnings;
  return warning === undefined ? createSpan('green', 'ready') : createSpan('yellow', warning.code);
};
