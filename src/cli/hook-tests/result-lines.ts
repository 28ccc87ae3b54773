/** Renders test results, as text and as data. */
import { type HookRow, isUnapproved } from '../../protocol/index.ts';
import { toMatcherContext } from '../arguments/payload.ts';
import { explainMatcher } from '../arguments/read-matcher.ts';
import { formatParagraph, type Page } from '../rendering/layout.ts';
import { formatCount, formatLocation, formatProblems } from '../rendering/problem-lines.ts';
import { formatHookDetail, formatLabelledEntry } from '../rendering/row-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { formatDuration } from '../rendering/verdict-text.ts';
import { isUnintendedSkip } from './mismatches.ts';
import type { TestResult, TestRun } from './run-tests.ts';

const INDENT = 6;

export const formatTestTitle = ({ test, found: { subject } }: TestResult): string =>
  test.name ?? (subject === undefined ? test.event : `${test.event} ${subject}`);

const isNamedInTest = (row: HookRow, { test: { expect } }: TestResult): boolean => {
  const { hooks = {} } = expect;
  return Object.hasOwn(hooks, row.name) || Object.hasOwn(hooks, row.hookId);
};

/** Hooks that ran or were kept from running explain a failed test. Without these, any skipped hook may explain it. */
const findExplainingRows = (result: TestResult): HookRow[] => {
  const { rows } = result.found;
  const isQuiet = !rows.some((row) => row.planned === 'run' || isUnintendedSkip(row));
  return rows.filter((row) => {
    if (isUnapproved(row.reason)) return false;
    const isMeant = row.planned === 'run' || isUnintendedSkip(row) || isNamedInTest(row, result);
    return isMeant || (isQuiet && row.reason !== 'disabled');
  });
};

const formatRowBlock = (row: HookRow, { test }: TestResult, page: Page): Text => {
  const about = toMatcherContext({ ...test.payload }, undefined);
  const isMismatch = row.reasons?.includes('matcher-mismatch') === true;
  return [
    ...formatHookDetail(row, page),
    ...(isMismatch
      ? formatLabelledEntry('matcher', explainMatcher(row.eventName, row.matcher, about).text, page, 'yellow')
      : []),
  ];
};

const formatFailedTest = (result: TestResult, page: Page): Text => {
  const { test, found, mismatches, durationMs } = result;
  const place = formatLocation({ file: test.file, line: test.line }, page.cwd) ?? '';
  return [
    [
      '  ',
      createSpan('red', '✗ '),
      createSpan('bold', formatTestTitle(result)),
      `, ${formatDuration(durationMs)}  `,
      createSpan('dim', place),
    ],
    ...mismatches.flatMap(({ message }) => formatParagraph(message, page.width, INDENT, INDENT + 2, 'red')),
    ...(found.rows.length === 0 && found.error === undefined
      ? formatParagraph(`no hook is configured for ${test.event}`, page.width, INDENT)
      : []),
    ...findExplainingRows(result).flatMap((row) => ['', ...formatRowBlock(row, result, page)]),
    '',
  ];
};

const formatResult = (result: TestResult, page: Page, isUpdated: boolean): Text => {
  const time = `, ${formatDuration(result.durationMs)}`;
  if (isUpdated)
    return [['  ', createSpan('yellow', '↻ '), formatTestTitle(result), time, createSpan('yellow', ', updated')]];
  if (result.mismatches.length > 0) return formatFailedTest(result, page);
  return [['  ', createSpan('green', '✓ '), formatTestTitle(result), createSpan('dim', time)]];
};

const formatTrustHint = ({ results }: TestRun, page: Page): Text => {
  const kept = results.flatMap(({ found }) => found.rows).filter(isUnintendedSkip);
  const untrusted = kept.filter(({ reason }) => isUnapproved(reason));
  const names = [...new Set(untrusted.map(({ name }) => name))];
  if (names.length === 0) return [];
  const who = names.length === 1 ? 'It was' : 'They were';
  const says = `Not approved in the current version: ${names.join(', ')}. ${who} not run. Review and approve with hookwright trust, or use --trust-project for this run.`;
  return ['', ...formatParagraph(says, page.width, 0, 0, 'yellow')];
};

const formatCounts = ({ results, problems, leftOut, isInterrupted }: TestRun, updated: number): Text => {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length - updated;
  const parts = [
    createSpan('green', `${results.length - failed - updated} passed`),
    ...(failed > 0 ? [', ', createSpan('red', `${failed} failed`)] : []),
    ...(updated > 0 ? [', ', createSpan('yellow', `${updated} updated`)] : []),
    ...(problems.length > 0 ? [', ', createSpan('red', formatCount(problems.length, 'mistake'))] : []),
    ...(isInterrupted ? [', ', createSpan('yellow', 'interrupted before the others')] : []),
    ...(leftOut > 0 ? [createSpan('dim', `, ${leftOut} left out`)] : []),
  ];
  return [[formatCount(results.length, 'test'), ': ', ...parts]];
};

export const formatTestRun = (run: TestRun, updated: readonly TestResult[], page: Page): Text => {
  const byFile = run.files.flatMap(({ file, problems }): Text => {
    const own = run.results.filter(({ test }) => test.file === file);
    if (own.length === 0 && problems.length === 0) return [];
    return [
      [createSpan('dim', shortenPath(file, page.cwd))],
      ...formatProblems(problems, page).map((line) => ['  ', ...(typeof line === 'string' ? [line] : line)]),
      ...own.flatMap((result) => formatResult(result, page, updated.includes(result))),
    ];
  });
  const lines = [...byFile, ...formatTrustHint(run, page), '', ...formatCounts(run, updated.length)];
  return lines.filter((line, index) => line !== '' || lines[index - 1] !== '');
};

const createResultData = (result: TestResult, isUpdated: boolean) => {
  const { test, found, mismatches, durationMs } = result;
  const { error, verdict, reason, rows } = found;
  const failure = isUpdated ? 'updated' : 'failed';
  return {
    name: formatTestTitle(result),
    file: test.file,
    line: test.line,
    event: test.event,
    status: mismatches.length === 0 ? 'passed' : failure,
    verdict,
    reason,
    error,
    // Keys may contain dots, so paths stay lists.
    mismatches: mismatches.map(({ path, message }) => ({ path, message })),
    durationMs,
    rows: mismatches.length === 0 ? [] : rows,
  };
};

export const toTestRunData = (
  { results, problems, leftOut, isInterrupted }: TestRun,
  updated: readonly TestResult[],
) => {
  const failed = results.filter((result) => result.mismatches.length > 0 && !updated.includes(result)).length;
  return {
    passed: results.length - failed - updated.length,
    failed,
    updated: updated.length,
    mistakes: problems.length,
    leftOut,
    isInterrupted: isInterrupted || undefined,
    tests: results.map((result) => createResultData(result, updated.includes(result))),
  };
};
