/** Runs the tests again after each change (`test --watch`). */
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandOutcome } from '../command-outcome.ts';
import { type Context, isYes } from '../context.ts';
import { shortPath } from '../rendering/short-path.ts';
import { styled } from '../rendering/text.ts';
import { UsageError } from '../usage-error.ts';
import { declarationFiles } from './ability-tests.ts';
import { findTestFiles } from './find-tests.ts';
import type { Stage } from './stage.ts';

/** Soon enough for a person; looking at some dozen files costs next to nothing. */
const EVERY_MS = 200;

type Stamps = ReadonlyMap<string, string>;

const stampOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
    () => 'not there',
  );

/**
 * What the tests depend on: the tests themselves, the scripts hooks name, the settings, and the files of ability hooks. Looking is what works on every
 * file system and with every editor; a hook that writes elsewhere below `.hookwright` must not start another run.
 */
const stampsOf = async ({ config, scripts }: Stage): Promise<Stamps> => {
  const tests = await findTestFiles(config.getProjectDir(), scripts);
  const settings = config.getFiles().map(({ path }) => path);
  const paths = [...new Set([...tests, ...(await declarationFiles(config)), ...scripts, ...settings])];
  return new Map(await Promise.all(paths.map(async (path) => [path, await stampOf(path)] as const)));
};

const changedBetween = (before: Stamps, now: Stamps): string[] =>
  [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path));

/** Resolves with what is different, or with nothing when it is to end. */
const nextChange = async (stage: Stage, before: Stamps, signal: AbortSignal): Promise<readonly string[]> => {
  while (!signal.aborted) {
    // The timer is ended by the signal; that it rejects then says nothing more.
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    const changed = signal.aborted ? [] : changedBetween(before, await stampsOf(stage));
    if (changed.length > 0) return changed;
  }
  return [];
};

const isTest = (path: string): boolean => /\.test\.jsonc?$|[\\/]hook-tests[\\/]/.test(path);

/** A person who watches edits hooks, and an edited one waits for its approval. Asked once, at the first edit. */
const followsEdits = async ({ ask, signal }: Context): Promise<boolean> => {
  const said = await ask(['run hooks of this project as you edit them, while this watches? [y]es, [N]o:']);
  return !signal.aborted && isYes(said);
};

/** Runs the tests, and again whenever something they depend on changes, until Ctrl-C. `prepare` is told whether hooks run unapproved. */
export const watchTests = async (
  prepare: (trustsProject: boolean) => Promise<Stage>,
  perform: (stage: Stage) => Promise<CommandOutcome>,
  context: Context,
  trustProject = false,
): Promise<CommandOutcome> => {
  const { signal, cwd } = context;
  let runs = 0;
  let trusts = trustProject;
  let mayAsk = context.canAsk && !trustProject;
  const performNow = async (stage: Stage): Promise<void> => {
    try {
      const { data, text } = await perform(stage);
      if (!signal.aborted) context.item(data, text);
    } catch (error) {
      // A question that cannot be answered now, such as for a hook that was renamed, may be after the next change.
      if (runs === 0 || !(error instanceof UsageError)) throw error;
      context.note([[styled('red', error.message)]]);
    }
  };
  try {
    while (!signal.aborted) {
      const stage = await prepare(trusts);
      const before = await stampsOf(stage);
      await performNow(stage);
      if (signal.aborted) break;
      runs += 1;
      context.note([[styled('dim', 'waiting for a change; Ctrl-C ends it')]]);
      const changed = await nextChange(stage, before, signal);
      const names = changed.map((path) => shortPath(path, cwd)).join(', ');
      if (changed.length > 0) context.note(['', [styled('dim', `changed: ${names}`)]]);
      if (mayAsk && changed.some((path) => !isTest(path))) {
        mayAsk = false;
        trusts = await followsEdits(context);
      }
    }
  } catch (error) {
    // Ctrl-C ends the watch regularly, whatever it was about to do.
    if (!signal.aborted) throw error;
  }
  return { data: { runs }, text: () => [] };
};
