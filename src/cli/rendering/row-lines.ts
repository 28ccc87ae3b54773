/** Renders hooks with their results: a block for each hook in `run` and `why`, and the columns of `list`. */
import { isRecord, shorten } from '../../kit/index.ts';
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
import { readMatcher } from '../arguments/read-matcher.ts';
import { skipReasonDetail, skipReasonTexts } from '../hook-findings.ts';
import { type Cell, type ItemColumn, labelParagraph, type Page } from './layout.ts';
import { locationText, withCount } from './problem-lines.ts';
import { plainText, type Span, styled, type Text, type TextLine } from './text.ts';
import { decisionIn, durationText, outputPieces, verdictPieces } from './verdict-text.ts';

const LABEL_WIDTH = 10;
const INDENT = 4;

export const labelledEntry = (label: string, text: string, { width }: Page, style?: Span['style']): Text =>
  labelParagraph(label, text, {
    width,
    indent: INDENT,
    labelWidth: LABEL_WIDTH,
    ...(style === undefined ? {} : { style }),
  });

export const sourceText = ({ kind, extension, file, line }: RowSource, cwd: string): string => {
  const who = extension === undefined ? kind : `${kind}: ${extension}`;
  const location = locationText({ file, line }, cwd);
  return location === undefined ? who : `${location} (${who})`;
};

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

/** For older callers, the engine gives failed hooks an output, which the hook itself did not print. */
const isEngineOutput = ({ outcome, output = {}, fields = {} }: HookRow): boolean =>
  outcome === 'faulted' &&
  Object.keys(output).every((key) => ['decision', 'systemMessage'].includes(key)) &&
  fields.decision === undefined;

const fieldsText = ({ fields = {}, output }: HookRow, page: Page): Text =>
  Object.entries(fields).flatMap(([name, fate]) => {
    if (name === 'systemMessage' && fate.fate === 'applied') return [];
    if (name === 'hookSpecificOutput.hookEventName' && fate.fate === 'applied') return [];
    const text = `${name}${shownValue(valueAt(output, name), page)}: ${fateText(fate)}`;
    return labelledEntry('field', text, page, fate.fate === 'applied' ? undefined : 'yellow');
  });

export const failureText = ({ code, exitCode, signal }: Pick<HookRow, 'code' | 'exitCode' | 'signal'>): string => {
  if (signal !== undefined) return `killed by ${signal}`;
  if (code !== undefined && code !== 'exit-code') return code;
  return exitCode === undefined || exitCode === 0 ? '' : `exit code ${exitCode}`;
};

const headLine = (row: HookRow): TextLine => {
  const name = styled('bold', shortenHookName(row.name));
  if (row.planned === 'skip') return ['  ', styled('dim', '– '), name, ` did not run: ${row.reason}`];
  const time = row.durationMs === undefined ? '' : `, ${durationText(row.durationMs)}`;
  switch (row.outcome) {
    case 'faulted':
      return ['  ', styled('red', '✗ '), name, ` failed: ${failureText(row)}${time}`];
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

const endingText = (row: HookRow): string | undefined => {
  const { exitCode, signal } = row;
  const ending = failureText({ exitCode, signal });
  return ending === '' || row.outcome === 'faulted' ? undefined : ending;
};

const answerText = (row: HookRow, page: Page): Text => {
  if (row.output === undefined || row.outcome === 'silent' || isEngineOutput(row)) return [];
  // For older callers, the engine adds `decision` to plain text and to faults. It is no part of the answer.
  const hasOpinion = row.fields?.decision !== undefined || row.fields?.continue !== undefined;
  const { decision: _courtesy, systemMessage, ...rest } = row.output;
  const pieces = hasOpinion ? verdictPieces(decisionIn(row.eventName, row.output)) : outputPieces(row.eventName, rest);
  const message = systemMessage === undefined ? [] : labelledEntry('message', systemMessage, page);
  return [...labelledEntry('answer', plainText(pieces), page), ...message];
};

/** A message that is only one of these words was probably meant as a verdict. */
const VERDICT_WORD = /^\W*(?:deny|denied|block|blocked|allow|allowed|approve|ask|stop|yes|no|true|false)\W*$/i;

/** Interpreters print such lines if a script throws. The hook then did not try to deny. */
const CRASH = /^Traceback |^\s+at |^\w*Error\b.*:|panicked at/m;

const MISSING_PROGRAM = /(?:^|[\s:])([\w.-]+): (?:command )?not found/m;

const slipFixes: readonly { readonly when: (row: HookRow) => boolean; readonly fix: string }[] = [
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

const fixFor = (row: HookRow, subject: string | undefined): string | undefined => {
  const { name, planned, reason, hint, eventName, matcher } = row;
  if (planned !== 'skip') return slipFixes.find(({ when }) => when(row))?.fix;
  if (reason === 'condition-mismatch') return undefined;
  if (reason === 'matcher-mismatch')
    return readMatcher(eventName, matcher, { toolName: subject, trigger: subject }).fix;
  if (isUnapproved(reason) && row.message !== undefined) return undefined;
  return reason === 'disabled' ? `hookwright enable ${JSON.stringify(name)}` : hint;
};

/** Stack frames of the interpreter, not of the hook. */
const FOREIGN_FRAME =
  /^\s*(?:at .*\((?:node:|.*[\\/]node_modules[\\/])|at (?:async )?node:|node:internal|Node\.js v\d)/;

const stderrText = ({ stderrHead = '' }: HookRow, page: Page): Text => {
  const lines = stderrHead.split('\n').filter((line) => line.trim() !== '');
  const own = lines.filter((line) => !FOREIGN_FRAME.test(line));
  const others = lines.length - own.length;
  return [
    ...own.flatMap((line, index) => {
      const lead = line.length - line.trimStart().length;
      const { width } = page;
      return labelParagraph(index === 0 ? 'stderr' : '', line.trim(), {
        width,
        indent: INDENT,
        labelWidth: LABEL_WIDTH + (index === 0 ? 0 : lead),
      });
    }),
    ...(others === 0
      ? []
      : labelledEntry(
          own.length === 0 ? 'stderr' : '',
          `(and ${withCount(others, 'line')} of the interpreter)`,
          page,
          'dim',
        )),
  ];
};

export const LEFT_OUT_HINT = 'It was not selected with --hook.';

const leftOutBlock = (row: HookRow, page: Page): Text => [
  ['  ', styled('dim', '– '), styled('bold', row.name), ' was left out by --hook'],
  ...labelledEntry('from', rowSource(row, page.cwd), page),
];

const warningText = (warning: Notice, { message }: HookRow, page: Page): Text => {
  if (warning.message !== message) return labelledEntry('warning', noticeText(warning), page, 'yellow');
  return warning.fix === undefined ? [] : labelledEntry('fix', warning.fix, page, 'cyan');
};

const isReason = ({ reason }: HookRow, hint: string): boolean =>
  reason === 'invalid-config' || (isUnapproved(reason) && hint !== skipReasons[reason]);

export interface FiredInput {
  readonly subject?: string | undefined;
  readonly payload?: unknown;
}

const membersOf = (payload: unknown): string[] =>
  Object.entries(isRecord(payload) ? payload : {}).flatMap(([key, value]) =>
    key === 'tool_input' && isRecord(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );

const GIVEN = 'what it prints to stderr would stand here; on stdin it had';

const passedText = (row: HookRow, { subject, payload }: FiredInput, page: Page): Text => {
  const { eventName, matcher, reason, outcome, exitCode, stderrHead, dialect, background } = row;
  if (reason === 'matcher-mismatch' && dialect === undefined && subject !== undefined)
    return labelledEntry(
      'matcher',
      readMatcher(eventName, matcher, { toolName: subject, trigger: subject }).text,
      page,
    );
  if (reason === 'condition-mismatch')
    return labelledEntry('why', skipReasonDetail(row) ?? skipReasonTexts[reason], page);
  const members = membersOf(payload);
  const isMute = outcome === 'silent' && exitCode === 0 && (stderrHead ?? '') === '' && background !== true;
  return isMute && members.length > 0
    ? labelledEntry('why', `it printed nothing and ended with exit code 0; ${GIVEN} ${members.join(', ')}`, page, 'dim')
    : [];
};

export const hookDetailText = (row: HookRow, page: Page, fired: FiredInput = {}): Text => {
  if (row.reason === 'disabled' && row.hint === LEFT_OUT_HINT) return leftOutBlock(row, page);
  const ending = endingText(row);
  const { message } = row;
  const found = fixFor(row, fired.subject);
  const fix = message !== undefined && found?.startsWith(message) === true ? undefined : found;
  return [
    headLine(row),
    ...labelledEntry('from', rowSource(row, page.cwd), page),
    ...passedText(row, fired, page),
    ...(message === undefined || message === `exited with code ${row.exitCode}`
      ? []
      : labelledEntry('why', message, page)),
    ...(fix === undefined ? [] : labelledEntry(isReason(row, fix) ? 'why' : 'fix', fix, page, 'cyan')),
    ...(ending === undefined ? [] : labelledEntry('ended', ending, page)),
    ...answerText(row, page),
    ...fieldsText(row, page),
    ...stderrText(row, page),
    ...(row.outcome === 'faulted' && row.stdoutHead !== undefined ? labelledEntry('stdout', row.stdoutHead, page) : []),
    ...(row.warnings ?? []).flatMap((warning) => warningText(warning, row, page)),
  ];
};

export const hookColumns = (cwd: string, withFile: boolean): readonly ItemColumn<HookRow>[] => [
  { title: 'event', min: 8, cell: ({ eventName }) => eventName },
  { title: 'hook', min: 8, cell: ({ name }) => shortenHookName(name) },
  { title: 'matcher', min: 7, cell: ({ matcher = '' }) => matcher },
  { title: 'source', min: 7, keepEnd: true, cell: (row) => sourceCell(row, cwd, withFile) },
  { title: 'status', cell: statusCell },
];

export const sourceCell = ({ source, dialect }: HookRow, cwd: string, withFile: boolean): string => {
  const location = (withFile ? locationText(source, cwd) : undefined) ?? source.kind;
  return dialect === undefined ? location : `${location}, for ${dialect}`;
};

export const statusCell = ({ reason, warnings = [] }: HookRow): Cell => {
  if (reason !== undefined) return styled(reason === 'disabled' ? 'dim' : 'red', reason);
  const [warning] = warnings;
  return warning === undefined ? styled('green', 'ready') : styled('yellow', warning.code);
};
