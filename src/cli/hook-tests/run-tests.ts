/** Selects and runs the tests of hooks. */
import { expectHookEvents } from '../arguments/events.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { createUnknownHookError } from '../sources/find-hook.ts';
import { UsageError } from '../usage-error.ts';
import { findNamedTestFiles, findTestFiles, readTestFile } from './find-tests.ts';
import { fireTest, type TestOutcome } from './fire-test.ts';
import { findMismatches, type Mismatch } from './mismatches.ts';
import { createTextPattern, explainInvalidPattern, type HookTest, type TestFile } from './read-tests.ts';
import { loadHooksInTest, type TestBench } from './test-bench.ts';

export interface TestOptions {
  readonly files: readonly string[];
  readonly selection: TestSelection;
  readonly timeoutMs: number | undefined;
}

export interface TestResult {
  readonly test: HookTest;
  readonly found: TestOutcome;
  readonly mismatches: readonly Mismatch[];
  readonly durationMs: number;
}

export interface TestRun {
  readonly bench: TestBench;
  readonly files: readonly TestFile[];
  readonly results: readonly TestResult[];
  /** Mistakes in test files. Each mistake kept a test from running. */
  readonly problems: readonly CliProblem[];
  readonly leftOut: number;
  readonly isInterrupted: boolean;
}

/** Tests run one after another, because hooks may share files. Ctrl-C keeps the results so far. */
export const runTests = async (options: TestOptions, bench: TestBench, context: Context): Promise<TestRun> => {
  const { cwd, signal } = context;
  checkSelection(options.selection, bench);
  const projectDir = bench.config.getProjectDir();
  const paths =
    options.files.length > 0
      ? await findNamedTestFiles(cwd, options.files)
      : await findTestFiles(projectDir, bench.scripts);
  const files = await Promise.all(paths.map((path) => readTestFile(path, projectDir, bench.momentOf)));
  const all = files.flatMap(({ tests }) => tests);
  const tests = await selectTests(all, options.selection, bench);
  const results: TestResult[] = [];
  for (const test of tests) {
    if (signal.aborted) break;
    context.progress(`${results.length + 1} of ${tests.length}: ${test.name ?? test.event}`);
    const startedAt = performance.now();
    const found = await fireTest(bench.config, test, { timeoutMs: options.timeoutMs, signal });
    const durationMs = performance.now() - startedAt;
    if (!signal.aborted) results.push({ test, found, mismatches: findMismatches(test.expect, found), durationMs });
  }
  return {
    bench,
    files,
    results,
    problems: files.flatMap(({ problems }) => problems),
    leftOut: all.length - tests.length,
    isInterrupted: results.length < tests.length,
  };
};

interface TestSelection {
  readonly name: string | undefined;
  readonly hooks: readonly string[];
  readonly events: readonly string[];
}

const checkSelection = ({ name, hooks, events }: TestSelection, bench: TestBench): void => {
  expectHookEvents(events);
  const why = name === undefined ? undefined : explainInvalidPattern(name);
  if (why !== undefined) throw new UsageError(`--name cannot be read: ${why}`);
  const unknown = hooks.find((wish) => !bench.hooks.some((hook) => hook.name === wish || hook.hookId === wish));
  const names = bench.hooks.map((hook) => hook.name);
  if (unknown !== undefined) throw createUnknownHookError(unknown, names, 'no hooks are configured here');
};

const selectTests = async (
  tests: readonly HookTest[],
  { name, hooks, events }: TestSelection,
  bench: TestBench,
): Promise<readonly HookTest[]> => {
  const wanted = name === undefined ? undefined : createTextPattern(name);
  const selected: HookTest[] = [];
  for (const test of tests) {
    if (events.length > 0 && !events.includes(test.event)) continue;
    if (wanted !== undefined && !wanted.matches(test.name ?? '')) continue;
    if (hooks.length > 0) {
      const concerned = await loadHooksInTest(bench, test);
      if (!hooks.some((hook) => concerned.has(hook))) continue;
    }
    selected.push(test);
  }
  return selected;
};
