/** Compares the outcome of a test with its `expect`. */
import { isDeepStrictEqual } from 'node:util';
import { formatPath, formatSuggestion, isRecord } from '../../kit/index.ts';
import type { HookRow, SkipReason } from '../../protocol/index.ts';
import { findRowVerdict, type TestOutcome } from './fire-test.ts';
import { createTextPattern, type JsonPath } from './read-tests.ts';
import type { Expectation } from './test-format.ts';

export interface Mismatch {
  readonly path: JsonPath;
  readonly message: string;
  /** The value that `--update` writes; `undefined` if the outcome must not become the expectation. */
  readonly becomes?: { readonly value: unknown };
}

/** A hook that was skipped for one of these reasons was meant to run, so its test proves nothing. */
const unintendedReasons: ReadonlySet<SkipReason> = new Set([
  'hooks-disabled',
  'invalid-config',
  'untrusted',
  'changed-since-trusted',
]);

export const isUnintendedSkip = ({ reasons = [] }: HookRow): boolean =>
  reasons.length > 0 && reasons.every((reason) => unintendedReasons.has(reason));

/**
 * A test expects a failure only by its name: a broken guard denies too, by its `onFault`. The same holds for hooks that
 * were kept from running.
 */
export const listResultWords = (row: HookRow): readonly string[] => {
  if (row.planned === 'skip') return [...(isUnintendedSkip(row) ? [] : ['skipped']), ...(row.reasons ?? [])];
  const words = row.outcome === 'faulted' ? [] : ['ran', findRowVerdict(row).verdict];
  return [...words, row.outcome, row.code].filter((word) => word !== undefined);
};

const findResultWord = (row: HookRow): string => {
  if (row.planned === 'skip') return row.reason ?? 'skipped';
  if (row.code !== undefined) return row.code;
  const { verdict } = findRowVerdict(row);
  return verdict === 'none' ? (row.outcome ?? 'ran') : verdict;
};

const formatValue = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

const createMismatch = (path: JsonPath, expected: unknown, found: unknown): Mismatch => ({
  path,
  message: `${formatPath(path)}: expected ${formatValue(expected)}, found ${formatValue(found)}`,
  becomes: { value: found },
});

const findTextMismatches = (expect: Expectation, found: TestOutcome): Mismatch[] =>
  (['reason', 'context', 'message'] as const).flatMap((key) => {
    const wanted = expect[key];
    if (wanted === undefined || createTextPattern(wanted).matches(found[key] ?? '')) return [];
    return [createMismatch([key], wanted, found[key])];
  });

const findPartMismatches = (expect: Expectation, found: TestOutcome): Mismatch[] =>
  (['input', 'output'] as const).flatMap((key) =>
    expect[key] === undefined
      ? []
      : findDifferences(expect[key], found[key], [key]).map((each) =>
          createMismatch(each.path, each.expected, each.found),
        ),
  );

const findFailure = (row: HookRow): Mismatch[] => {
  const path = ['hooks', row.name];
  if (row.outcome === 'faulted') return [{ path, message: `${row.name} failed: ${row.code}` }];
  return isUnintendedSkip(row) ? [{ path, message: `${row.name} was kept from running: ${row.reason}` }] : [];
};

const findHookMismatches = ({ hooks = {} }: Expectation, { rows }: TestOutcome): Mismatch[] =>
  Object.entries(hooks).flatMap(([name, word]): Mismatch[] => {
    const own = rows.filter((row) => row.name === name || row.hookId === name);
    const [first] = own;
    const path = ['hooks', name];
    if (first === undefined) {
      const names = rows.map((row) => row.name);
      return [
        { path, message: `${formatPath(path)}: no hook of this event has this name${formatSuggestion(name, names)}` },
      ];
    }
    const isExpected = (row: HookRow): boolean => listResultWords(row).includes(word);
    // Two hooks may share a name, and a guard may run twice.
    if (own.some(isExpected)) return own.filter((row) => !isExpected(row)).flatMap(findFailure);
    const found = findResultWord(first);
    const message = `${formatPath(path)}: expected ${formatValue(word)}, found ${formatValue(found)}`;
    return [
      first.outcome === 'faulted' || isUnintendedSkip(first)
        ? { path, message }
        : { path, message, becomes: { value: found } },
    ];
  });

const findFailedHooks = ({ hooks = {} }: Expectation, { rows }: TestOutcome): Mismatch[] =>
  rows.flatMap((row): Mismatch[] => {
    const isNamed = Object.hasOwn(hooks, row.name) || Object.hasOwn(hooks, row.hookId);
    return isNamed ? [] : findFailure(row);
  });

const toFullExpectation = ({ verdict, reason, output, input }: TestOutcome): Expectation => ({
  verdict,
  ...(verdict === 'none' || reason === undefined ? {} : { reason }),
  ...(output.hookSpecificOutput?.tool_input === undefined || input === undefined ? {} : { input }),
});

const findMissingExpectation = (expect: Expectation, found: TestOutcome): Mismatch[] =>
  Object.values(expect).some((wanted = {}) => typeof wanted === 'string' || Object.keys(wanted).length > 0)
    ? []
    : [
        {
          path: [],
          message: 'nothing is expected yet: write it, or let --update write the actual result',
          becomes: { value: toFullExpectation(found) },
        },
      ];

export const findMismatches = (expect: Expectation, found: TestOutcome): readonly Mismatch[] => {
  if (found.error !== undefined) return [{ path: [], message: found.error }, ...findFailedHooks(expect, found)];
  return [
    ...findMissingExpectation(expect, found),
    ...(expect.verdict === undefined || expect.verdict === found.verdict
      ? []
      : [createMismatch(['verdict'], expect.verdict, found.verdict)]),
    ...findTextMismatches(expect, found),
    ...findPartMismatches(expect, found),
    ...findHookMismatches(expect, found),
    ...findFailedHooks(expect, found),
  ];
};

interface ValueDifference {
  readonly path: JsonPath;
  readonly expected: unknown;
  readonly found: unknown;
}

export const findDifferences = (expected: unknown, found: unknown, path: JsonPath = []): ValueDifference[] => {
  if (!isRecord(expected) || !isRecord(found)) {
    return isDeepStrictEqual(expected, found) ? [] : [{ path, expected, found }];
  }
  return Object.keys(expected).flatMap((key) =>
    findDifferences(expected[key], Object.hasOwn(found, key) ? found[key] : undefined, [...path, key]),
  );
};
