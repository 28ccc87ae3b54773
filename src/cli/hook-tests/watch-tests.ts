/** `test --watch`: runs the tests again after each change. */
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandOutcome } from '../command-outcome.ts';
import { type Context, isTypedYes } from '../context.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan } from '../rendering/text.ts';
import { UsageError } from '../usage-error.ts';
import { listAbilityTestPaths } from './ability-tests.ts';
import { findTestFiles } from './find-tests.ts';
import type { TestBench } from './test-bench.ts';

/** Polling works on every file system, and polling a few dozen files is cheap. */
const POLL_INTERVAL_MS = 200;

type FileVersions = ReadonlyMap<string, string>;

const readFileVersion = (path: string): Promise<string> =>
  stat(path).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
    () => 'not there',
  );

/** Reads only tests, scripts and settings, because other files that a hook writes must not start another run. */
const readFileVersions = async ({ config, scripts }: TestBench): Promise<FileVersions> => {
  const tests = await findTestFiles(config.getProjectDir(), scripts);
  const settings = config.getFiles().map(({ path }) => path);
  const paths = [...new Set([...tests, ...(await listAbilityTestPaths(config)), ...scripts, ...settings])];
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFileVersion(path)] as const)));
};

const findChanged = (before: FileVersions, now: FileVersions): string[] =>
  [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path));

const waitForChange = async (
  bench: TestBench,
  before: FileVersions,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  while (!signal.aborted) {
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    const changed = signal.aborted ? [] : findChanged(before, await readFileVersions(bench));
    if (changed.length > 0) return changed;
  }
  return [];
};

const isTestPath = (path: string): boolean => /\.test\.jsonc?$|[\\/]hook-tests[\\/]/.test(path);

/** An edited hook needs approval before it runs, so the first edit prompts the user. */
const promptToFollowEdits = async ({ ask, signal }: Context): Promise<boolean> => {
  const typed = await ask(['run hooks of this project as you edit them, while this watches? [y]es, [N]o:']);
  return !signal.aborted && isTypedYes(typed);
};

export const watchTests = async (
  prepare: (trustsProject: boolean) => Promise<TestBench>,
  perform: (bench: TestBench) => Promise<CommandOutcome>,
  context: Context,
  trustProject: boolean,
): Promise<CommandOutcome> => {
  const { signal, cwd } = context;
  let runs = 0;
  let trusts = trustProject;
  let mayAsk = context.canAsk && !trustProject;
  const performNow = async (bench: TestBench): Promise<void> => {
    try {
      const { data, text } = await perform(bench);
      if (!signal.aborted) context.item(data, text);
    } catch (error) {
      // The next change may correct the error, such as the name of a hook.
      if (runs === 0 || !(error instanceof UsageError)) throw error;
      context.note([[createSpan('red', error.message)]]);
    }
  };
  try {
    while (!signal.aborted) {
      const bench = await prepare(trusts);
      const before = await readFileVersions(bench);
      await performNow(bench);
      if (signal.aborted) break;
      runs += 1;
      context.note([[createSpan('dim', 'waiting for a change; Ctrl-C ends it')]]);
      const changed = await waitForChange(bench, before, signal);
      const names = changed.map((path) => shortenPath(path, cwd)).join(', ');
      if (changed.length > 0) context.note(['', [createSpan('dim', `changed: ${names}`)]]);
      if (mayAsk && changed.some((path) => !isTestPath(path))) {
        mayAsk = false;
        trusts = await promptToFollowEdits(context);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { data: { runs }, text: () => [] };
};
