import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

const isLinux = process.platform === 'linux';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** What follows the name in a process's line of facts: its state, the id of its parent, and more. */
const factsOf = (pid: number | string): string[] => {
  const line = read(`/proc/${pid}/stat`);
  return line
    .slice(line.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
};

/** Whether a process is alive; `Z` is a dead one nobody reaped yet. Linux only; elsewhere none is. */
export const isAlive = (pid: number | string): boolean => !['Z', 'X', '', undefined].includes(factsOf(pid)[0]);

const allIds = (): string[] => (isLinux ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []);

/** The living processes that have an entry in their environment. Linux only; elsewhere it finds none. */
export const processesWith = (entry: string): number[] =>
  allIds()
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(entry))
    .filter(isAlive)
    .map(Number);

/** The living children of a process whose command line has this word. */
export const childrenOf = (parent: number, word: string): number[] =>
  allIds()
    .filter((pid) => factsOf(pid)[1] === String(parent) && isAlive(pid))
    .filter((pid) => read(`/proc/${pid}/cmdline`).split('\0').includes(word))
    .map(Number);

/** The living processes that carry the marker of a run. */
export const processesWithMarker = (runId: string): number[] => processesWith(`HOOKWRIGHT_RUN=${runId}`);

/** Asks again and again until the answer is yes; says how long it took, or gives up with an error that says what was asked. */
export const until = async (what: string, withinMs: number, isTrue: () => boolean): Promise<number> => {
  const startedAt = performance.now();
  while (!isTrue()) {
    if (performance.now() - startedAt > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
  return performance.now() - startedAt;
};

export interface Holdings {
  readonly fileDescriptors: number;
  /** What keeps the event loop alive, counted by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Kinds that are ours alone; timers and the like also belong to whoever runs the test. */
const watched = ['ProcessWrap', 'PipeWrap', 'PipeConnectWrap', 'SignalWrap', 'WriteWrap', 'ShutdownWrap'];

/** What this process holds at the moment. */
export const holdings = (): Holdings => {
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (watched.includes(kind)) resources[kind] = (resources[kind] ?? 0) + 1;
  }
  return { fileDescriptors: isLinux ? readdirSync('/proc/self/fd').length : 0, resources };
};

const holdsMore = (now: Holdings, before: Holdings): boolean =>
  now.fileDescriptors > before.fileDescriptors ||
  Object.entries(now.resources).some(([kind, count]) => count > (before.resources[kind] ?? 0));

const troubles: string[] = [];
let isWatching = false;

/** Notes what would have ended or embarrassed the host. Vitest fails the run for most of it too; this names the test. */
export const watchTroubles = (): void => {
  if (isWatching) return;
  isWatching = true;
  for (const event of ['unhandledRejection', 'uncaughtExceptionMonitor', 'warning'] as const) {
    process.on(event, (trouble: unknown) => {
      // What a host without a logger is warned of is a promise of ours.
      if (trouble instanceof Error && trouble.name === 'HookwrightWarning') return;
      troubles.push(`${event}: ${String(trouble)}`);
    });
  }
};

export interface Leftovers {
  readonly before: Holdings;
  readonly runIds: readonly string[];
  /** How long what was ended may take to be gone. */
  readonly withinMs: number;
}

/**
 * Checks C, D and F of the fault matrix: no process of these runs is alive, nothing more is held than before, and
 * nothing was thrown past everybody. Polls, because ending takes a moment, but not for longer than was promised.
 */
export const expectNothingLeft = async ({ before, runIds, withinMs }: Leftovers): Promise<void> => {
  const alive = (): string[] => runIds.filter((runId) => processesWithMarker(runId).length > 0);
  await until('no process of the run is alive', withinMs, () => alive().length === 0).catch(() =>
    expect(alive(), 'runs with living processes').toEqual([]),
  );
  await until('nothing more is held than before', 1_000, () => !holdsMore(holdings(), before)).catch(() =>
    expect(holdings()).toEqual(before),
  );
  expect(troubles.splice(0)).toEqual([]);
};

/** An upper limit, as promised on a machine with nothing else to do, and more where others compete for its processors. */
export const atMost = (ms: number): number =>
  ms * Math.min(10, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
