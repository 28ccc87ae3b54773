import { isRecord, shorten } from '../../kit/index.ts';
import {
  type FieldFate,
  type HookOutput,
  type HookRow,
  isUnapproved,
  type Notice,
  noticeText,
  type RowSource,
  shownName,
  skipReasons,
} from '../../protocol/index.ts';
import { readMatcher } from '../arguments/read-matcher.ts';
import { detailOf, meanings } from '../hook-findings.ts';
import { type Cell, type ItemColumn, labelled, type Page } from './layout.ts';
import { counted, shownPlace } from './problem-lines.ts';
import { type Span, styled, type Text, type TextLine } from './text.ts';
import { decisionIn, saidPieces, took, verdictPieces } from './verdict-text.ts';

const LABEL_WIDTH = 10;
const INDENT = 4;

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

/** Whether all that a failed hook returned is its own output again, as a message for older callers. */
const isCourtesy = ({ outcome, output = {}, fields = {} }: HookRow): boolean =>
  outcome === 'faulted' &&
  Object.keys(output).every((key) => ['decision', 'systemMessage'].includes(key)) &&
  fields.decision === undefined;

const fieldsText = ({ fields = {}, output }: HookRow, page: Page): Text =>
  Object.entries(fields).flatMap(([name, fate]) => {
    if (name === 'systemMessage' && fate.fate === 'applied') return [];
    // It says what the answer is about, and changes nothing.
    if (name === 'hookSpecificOutput.hookEventName' && fate.fate === 'applied') return [];
    const text = `${name}${shownValue(valueAt(output, name), page)}: ${fateText(fate)}`;
    return entry('field', text, page, fate.fate === 'applied' ? undefined : 'yellow');
  });

/** How a hook that failed ended, in brackets. */
export const failureOf = ({ code, exitCode, signal }: Pick<HookRow, 'code' | 'exitCode' | 'signal'>): string => {
  if (signal !== undefined) return `killed by ${signal}`;
  if (code !== undefined && code !== 'exit-code') return code;
  return exitCode === undefined || exitCode === 0 ? '' : `exit code ${exitCode}`;
};

const headOf = (row: HookRow): TextLine => {
  const name = styled('bold', shownName(row.name));
  if (row.planned === 'skip') return ['  ', styled('dim', '– '), name, ` did not run: ${row.reason}`];
  const time = row.durationMs === undefined ? '' : `, ${took(row.durationMs)}`;
  switch (row.outcome) {
    case 'faulted':
      return ['  ', styled('red', '✗ '), name, ` failed: ${failureOf(row)}${time}`];
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

/** How it ended, unless the head says so. */
const endingText = (row: HookRow): string | undefined => {
  const { exitCode, signal } = row;
  const ending = failureOf({ exitCode, signal });
  return ending === '' || row.outcome === 'faulted' ? undefined : ending;
};

/** The answer without the courtesy of a decision. */
const context = ({ output = {} }: HookRow): HookOutput => {
  const { decision: _courtesy, systemMessage: _besides, ...rest } = output;
  return rest;
};

const answerText = (row: HookRow, page: Page): Text => {
  if (row.output === undefined || row.outcome === 'silent' || isCourtesy(row)) return [];
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

/** A word that was meant as a verdict: text is a message. */
const VERDICT_WORD = /^\W*(?:deny|denied|block|blocked|allow|allowed|approve|ask|stop|yes|no|true|false)\W*$/i;

/** What interpreters print when a script throws: its author did not mean to refuse anything. */
const CRASH = /^Traceback |^\s+at |^\w*Error\b.*:|panicked at/m;

const MISSING_PROGRAM = /(?:^|[\s:])([\w.-]+): (?:command )?not found/m;

/** Mistakes that a run shows, and what to do about each. */
const slips: readonly { readonly when: (row: HookRow) => boolean; readonly fix: string }[] = [
  {
    when: ({ code, exitCode, stderrHead = '', fields }) =>
      code === 'exit-code' && exitCode === 1 && fields?.decision === undefined && !CRASH.test(stderrHead),
    fix: 'exit code 1 is a failure and does not block: to deny, print the reason to stderr and exit with 2',
  },
  {
    when: ({ code, exitCode, stderrHead = '', fields }) =>
      code === 'exit-code' && exitCode === 1 && fields?.decision !== undefined && !CRASH.test(stderrHead),
    fix: 'exit code 1 is a failure, so onFault decided: to deny itself, print the reason to stderr and exit with 2',
  },
  {
    when: ({ background, exitCode }) => background === true && exitCode === 2,
    fix: 'a hook in the background cannot block, because the agent does not wait for it: remove "background"',
  },
  {
    when: ({ code, outcome, stderrHead = '' }) =>
      outcome === 'silent' && code === undefined && MISSING_PROGRAM.test(stderrHead),
    fix: 'the script went on without a program that is missing: install it, or begin the script with set -e',
  },
  {
    when: ({ outcome, stderrHead = '', background }) =>
      outcome === 'silent' && background !== true && stderrHead !== '',
    fix: 'stderr decides nothing with exit code 0: to deny, print the reason to stderr and exit with 2; an exit in a pipe or in brackets ends only its subshell',
  },
  {
    when: ({ outcome, output }) => outcome === 'answered' && VERDICT_WORD.test(output?.systemMessage ?? ''),
    fix: 'a word alone is a message, not a verdict: print {"decision": "deny", "reason": "…"}',
  },
];

/** What to do about a hook that is no help as it is; `undefined` if it rightly did not run, or did its work. */
const fixFor = (row: HookRow, subject: string | undefined): string | undefined => {
  const { name, planned, reason, hint, eventName, matcher } = row;
  if (planned !== 'skip') return slips.find(({ when }) => when(row))?.fix;
  if (reason === 'condition-mismatch') return undefined;
  if (reason === 'matcher-mismatch')
    return readMatcher(eventName, matcher, { toolName: subject, trigger: subject }).fix;
  // What is missing is an approval, and the sentence that says so says what to do.
  if (isUnapproved(reason) && row.message !== undefined) return undefined;
  return reason === 'disabled' ? `hookwright enable ${JSON.stringify(name)}` : hint;
};

/** Frames of an interpreter, which say nothing about the hook. */
const FOREIGN_FRAME =
  /^\s*(?:at .*\((?:node:|.*[\\/]node_modules[\\/])|at (?:async )?node:|node:internal|Node\.js v\d)/;

/** The lines of stderr as they are, the hook's own first. */
const stderrText = ({ stderrHead = '' }: HookRow, page: Page): Text => {
  const lines = stderrHead.split('\n').filter((line) => line.trim() !== '');
  const own = lines.filter((line) => !FOREIGN_FRAME.test(line));
  const others = lines.length - own.length;
  return [
    ...own.flatMap((line, index) => {
      const lead = line.length - line.trimStart().length;
      const { width } = page;
      return labelled(index === 0 ? 'stderr' : '', line.trim(), {
        width,
        indent: INDENT,
        labelWidth: LABEL_WIDTH + (index === 0 ? 0 : lead),
      });
    }),
    ...(others === 0
      ? []
      : entry(own.length === 0 ? 'stderr' : '', `(and ${counted(others, 'line')} of the interpreter)`, page, 'dim')),
  ];
};

/** The hint of a hook that one run did not ask for. */
export const LEFT_OUT = 'It was not selected with --hook.';

/** There is nothing to repair. */
const leftOutBlock = (row: HookRow, page: Page): Text => [
  ['  ', styled('dim', '– '), styled('bold', row.name), ' was left out by --hook'],
  ...entry('from', rowSource(row, page.cwd), page),
];

const isSaidInHead = ({ message, exitCode }: HookRow): boolean => message === `exited with code ${exitCode}`;

/** A warning whose words stand there already adds what to do. */
const warningText = (warning: Notice, { message }: HookRow, page: Page): Text => {
  if (warning.message !== message) return entry('warning', noticeText(warning), page, 'yellow');
  return warning.fix === undefined ? [] : entry('fix', warning.fix, page, 'cyan');
};

/** Hints that say more than what to do. */
const isReason = ({ reason }: HookRow, hint: string): boolean =>
  reason === 'invalid-config' || (isUnapproved(reason) && hint !== skipReasons[reason]);

/** What an event was fired with, in view of one hook. */
export interface FiredWith {
  readonly subject?: string | undefined;
  readonly payload?: unknown;
}

/** The members of an input that a hook may look for, those of a tool call too. */
const membersOf = (payload: unknown): string[] =>
  Object.entries(isRecord(payload) ? payload : {}).flatMap(([key, value]) =>
    key === 'tool_input' && isRecord(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );

const GIVEN = 'what it prints to stderr would stand here; on stdin it had';

/** Why a hook has no part in the answer although nothing failed: in the words of `explain`, or by what a command got and gave. */
const passedText = (row: HookRow, { subject, payload }: FiredWith, page: Page): Text => {
  const { eventName, matcher, reason, outcome, exitCode, stderrHead, dialect, background } = row;
  if (reason === 'matcher-mismatch' && dialect === undefined && subject !== undefined)
    return entry('matcher', readMatcher(eventName, matcher, { toolName: subject, trigger: subject }).text, page);
  if (reason === 'condition-mismatch') return entry('why', detailOf(row) ?? meanings[reason], page);
  const members = membersOf(payload);
  const isMute = outcome === 'silent' && exitCode === 0 && (stderrHead ?? '') === '' && background !== true;
  return isMute && members.length > 0
    ? entry('why', `it printed nothing and ended with exit code 0; ${GIVEN} ${members.join(', ')}`, page, 'dim')
    : [];
};

/** What became of one hook: how it ended, what it answered, and the fate of each field. */
export const ranBlock = (row: HookRow, page: Page, fired: FiredWith = {}): Text => {
  if (row.reason === 'disabled' && row.hint === LEFT_OUT) return leftOutBlock(row, page);
  const ending = endingText(row);
  const fix = fixFor(row, fired.subject);
  return [
    headOf(row),
    ...entry('from', rowSource(row, page.cwd), page),
    ...passedText(row, fired, page),
    ...(row.message === undefined || isSaidInHead(row) ? [] : entry('why', row.message, page)),
    ...(fix === undefined ? [] : entry(isReason(row, fix) ? 'why' : 'fix', fix, page, 'cyan')),
    ...(ending === undefined ? [] : entry('ended', ending, page)),
    ...answerText(row, page),
    ...fieldsText(row, page),
    ...stderrText(row, page),
    ...(row.outcome === 'faulted' && row.stdoutHead !== undefined ? entry('stdout', row.stdoutHead, page) : []),
    ...(row.warnings ?? []).flatMap((warning) => warningText(warning, row, page)),
  ];
};

/** The columns of `list`. With `withFile`, the source is a file and a line. */
export const hookColumns = (cwd: string, withFile: boolean): readonly ItemColumn<HookRow>[] => [
  { title: 'event', min: 8, cell: ({ eventName }) => eventName },
  { title: 'hook', min: 8, cell: ({ name }) => shownName(name) },
  { title: 'matcher', min: 7, cell: ({ matcher = '' }) => matcher },
  { title: 'source', min: 7, keepEnd: true, cell: (row) => originCell(row, cwd, withFile) },
  { title: 'status', cell: statusCell },
];

export const originCell = ({ source, dialect }: HookRow, cwd: string, withFile: boolean): string => {
  const location = (withFile ? shownPlace(source, cwd) : undefined) ?? source.kind;
  return dialect === undefined ? location : `${location}, for ${dialect}`;
};

/** In one word, whether the hook would run. */
export const statusCell = ({ reason, warnings = [] }: HookRow): Cell => {
  if (reason !== undefined) return styled(reason === 'disabled' ? 'dim' : 'red', reason);
  const [warning] = warnings;
  return warning === undefined ? styled('green', 'ready') : styled('yellow', warning.code);
};
