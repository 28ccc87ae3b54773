// Finds processes of a run by a marker in their environment, and ends those that left the run's process group. Linux
// only.
import { readFileSync, statSync } from 'node:fs';
import { attempt, waitForNextTurn } from '../../kit/index.ts';
import { listNames, readProcessStat } from '../../kit/node.ts';
import { RUN_MARKER } from '../environment.ts';

const markerPrefix = Buffer.from(`${RUN_MARKER}=`);

const findMarker = (environment: Buffer): string | undefined => {
  let at = environment.indexOf(markerPrefix);
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(markerPrefix, at + 1);
  if (at === -1) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString('latin1', at + markerPrefix.length, end === -1 ? environment.length : end);
};

/** While a process calls exec, its environment is empty, so it must be checked again later. */
const inExec = Symbol('in exec');

const readMarker = (pid: number): string | typeof inExec | undefined =>
  attempt(() => {
    const environment = readFileSync(`/proc/${pid}/environ`);
    return environment.length === 0 && mayBeOfRun(pid) ? inExec : findMarker(environment);
  });

/** Kernel threads and zombies also have an empty environment. */
const mayBeOfRun = (pid: number): boolean => {
  const { state, parent } = readProcessStat(pid) ?? { state: 'X', parent: '0' };
  return (
    state !== 'Z' &&
    state !== 'X' &&
    parent !== KERNEL_THREAD_PARENT &&
    statSync(`/proc/${pid}`).uid === process.getuid?.()
  );
};
const KERNEL_THREAD_PARENT = '2';

const listProcesses = (): number[] => listNames('/proc').map(Number).filter(Number.isInteger);

/** Linux assigns process ids in increasing order, and starts over at the limit. */
const readLastId = (): number =>
  attempt(() => Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1))) ?? 0;

interface FoundProcesses {
  readonly marked: readonly { readonly pid: number; readonly runId: string }[];
  /** False if a process was in exec, so that its marker could not be read. */
  readonly isSure: boolean;
}

const findMarkedNow = (pids: readonly number[], isWanted: (runId: string) => boolean): FoundProcesses => {
  const markers = pids.map((pid) => ({ pid, runId: readMarker(pid) }));
  return {
    marked: markers.flatMap(({ pid, runId }) => (typeof runId === 'string' && isWanted(runId) ? { pid, runId } : [])),
    isSure: markers.every(({ runId }) => runId !== inExec),
  };
};

const PROCESSES_PER_TURN = 64;

const findMarked = async (pids: readonly number[], isWanted: (runId: string) => boolean): Promise<FoundProcesses> => {
  const parts: FoundProcesses[] = [];
  for (let index = 0; index < pids.length; index += PROCESSES_PER_TURN) {
    if (index > 0) await waitForNextTurn();
    parts.push(findMarkedNow(pids.slice(index, index + PROCESSES_PER_TURN), isWanted));
  }
  return { marked: parts.flatMap(({ marked }) => marked), isSure: parts.every(({ isSure }) => isSure) };
};

export const findMarkedProcesses = async (wanted: string): Promise<number[]> =>
  (await findMarked(listProcesses(), (runId) => runId === wanted)).marked.map(({ pid }) => pid);

export const sendSignalSafely = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended meanwhile, or its id now belongs to another user's process.
  }
};

export const endMarkedNow = (runIds: ReadonlySet<string>): void => {
  if (runIds.size === 0) return;
  // A process may fork while the list is read, so the search is repeated.
  for (let round = 0; round < 3; round += 1) {
    const { marked, isSure } = findMarkedNow(listProcesses(), (runId) => runIds.has(runId));
    if (marked.length === 0 && isSure) return;
    for (const { pid } of marked) sendSignalSafely(pid, 'SIGKILL');
    if (!isSure) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXEC_WAIT_MS);
  }
};

interface EndedRun {
  readonly runId: string;
  readonly pid: number;
  readonly startedAt: number;
}

interface WatchedRun extends Omit<EndedRun, 'runId'> {
  unsureSweeps: number;
  signalledAt?: number;
  pauseMs: number;
}

interface MarkerSweepOptions {
  readonly graceMs: number;
  /** Signalling a group that is already being ended would shorten its grace period. */
  readonly isEnding: (group: number) => boolean;
  readonly onGone: (runId: string) => void;
  readonly onQuiet: () => void;
}

/** How long `endMarkedNow` waits for a process in exec. */
const EXEC_WAIT_MS = 5;
/** While a process is in exec, its marker cannot be read. After this many such sweeps a run counts as over. */
const MAX_UNSURE_SWEEPS = 4;
const SWEEP_DELAY_MS = 100;
const FIRST_PAUSE_MS = 20;
/** After this time ids may have started over, so that a later process has a lower id. */
const IDS_IN_ORDER_MS = 2_000;
const GIVE_UP_AFTER_KILL_MS = 1_000;

/**
 * Sends SIGTERM, and SIGKILL after the grace period. The marker is checked right before each signal, so a reused
 * process id is never hit.
 */
export class MarkerSweep {
  readonly #options: MarkerSweepOptions;
  readonly #watched = new Map<string, WatchedRun>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isSweeping = false;

  constructor(options: MarkerSweepOptions) {
    this.#options = options;
  }

  get isQuiet(): boolean {
    return this.#watched.size === 0;
  }

  get runIds(): Iterable<string> {
    return this.#watched.keys();
  }

  watch({ runId, pid, startedAt }: EndedRun): void {
    this.#watched.set(runId, { pid, startedAt, unsureSweeps: 0, pauseMs: FIRST_PAUSE_MS });
    this.#schedule(SWEEP_DELAY_MS);
  }

  hurry(): void {
    if (!this.isQuiet) this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    const dueAt = performance.now() + delayMs;
    if (this.#isSweeping || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#sweep(), delayMs).unref();
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const wanted = new Set(this.#watched.keys());
    const { marked, isSure } = await findMarked(this.#candidates(), (runId) => wanted.has(runId));
    const now = performance.now();
    const alive = new Set(marked.map(({ runId }) => runId));
    for (const runId of wanted) {
      if (!alive.has(runId)) this.#missed(runId, isSure);
    }
    for (const { pid, runId } of marked) this.#end(pid, runId, now);
    this.#isSweeping = false;
    if (this.isQuiet) this.#options.onQuiet();
    else this.#schedule(this.#pause(now));
  }

  /** Later processes have higher ids, so for a short run only the few processes above its first id need a check. */
  #candidates(): number[] {
    const runs = [...this.#watched.values()];
    const first = Math.min(...runs.map(({ pid }) => pid));
    const latest = Math.max(...runs.map(({ pid }) => pid));
    const since = Math.min(...runs.map(({ startedAt }) => startedAt));
    const isInOrder = performance.now() - since < IDS_IN_ORDER_MS && latest <= readLastId();
    return isInOrder ? listProcesses().filter((pid) => pid > first) : listProcesses();
  }

  #missed(runId: string, isSure: boolean): void {
    const run = this.#watched.get(runId);
    if (run !== undefined && !isSure && run.unsureSweeps < MAX_UNSURE_SWEEPS) run.unsureSweeps += 1;
    else this.#unwatch(runId);
  }

  #end(pid: number, runId: string, now: number): void {
    const run = this.#watched.get(runId);
    const { graceMs, isEnding } = this.#options;
    if (run === undefined || isEnding(Number(readProcessStat(pid)?.group))) return;
    run.signalledAt ??= now;
    const waitedMs = now - run.signalledAt;
    if (waitedMs === 0) sendSignalSafely(pid, 'SIGTERM');
    else if (waitedMs >= graceMs) sendSignalSafely(pid, 'SIGKILL');
    if (waitedMs >= graceMs + GIVE_UP_AFTER_KILL_MS) this.#unwatch(runId);
  }

  #unwatch(runId: string): void {
    this.#watched.delete(runId);
    this.#options.onGone(runId);
  }

  #pause(now: number): number {
    let pauseMs = SWEEP_DELAY_MS;
    for (const run of this.#watched.values()) {
      if (run.signalledAt === undefined && run.unsureSweeps === 0) continue;
      const leftMs = Math.max(FIRST_PAUSE_MS, (run.signalledAt ?? now) + this.#options.graceMs - now);
      pauseMs = Math.min(pauseMs, run.pauseMs, leftMs);
      run.pauseMs *= 2;
    }
    return pauseMs;
  }
}
