// Finds processes of a run by a marker in their environment, and ends those that left the run's process group. Linux
// only.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { waitForNextTurn } from '../../kit/index.ts';
import { readProcessStat } from '../../kit/node.ts';
import { RUN_MARKER } from '../environment.ts';

interface MarkedProcess {
  readonly pid: number;
  readonly runId: string;
}

const needle = Buffer.from(`${RUN_MARKER}=`);

const findMarker = (environment: Buffer): string | undefined => {
  let at = environment.indexOf(needle);
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(needle, at + 1);
  if (at === -1) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString('latin1', at + needle.length, end === -1 ? environment.length : end);
};

/** While a process calls exec, its environment is empty, so it must be checked again later. */
const inExec = Symbol('becoming');

const readMarker = (pid: number): string | typeof inExec | undefined => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    return environment.length === 0 && mayBeOfRun(pid) ? inExec : findMarker(environment);
  } catch {
    return undefined;
  }
};

/** Kernel threads and zombies also have an empty environment. */
const mayBeOfRun = (pid: number): boolean => {
  const { state, parent } = readProcessStat(pid) ?? { state: 'X', parent: '0' };
  return (
    state !== 'Z' && state !== 'X' && parent !== KERNEL_PARENT && statSync(`/proc/${pid}`).uid === process.getuid?.()
  );
};
const KERNEL_PARENT = '2';

const listProcesses = (): number[] => {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
};

/** Linux assigns process ids in increasing order, and starts over at the limit. */
const readLastId = (): number => {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
};

interface Found {
  readonly marked: MarkedProcess[];
  isSure: boolean;
}

const lookAt = (found: Found, pids: readonly number[], isWanted: (runId: string) => boolean): Found => {
  for (const pid of pids) {
    const runId = readMarker(pid);
    if (runId === inExec) found.isSure = false;
    else if (runId !== undefined && isWanted(runId)) found.marked.push({ pid, runId });
  }
  return found;
};

const createNothingFound = (): Found => ({ marked: [], isSure: true });

const PER_TURN = 64;

const findMarked = async (pids: readonly number[], isWanted: (runId: string) => boolean): Promise<Found> => {
  const found = createNothingFound();
  for (let index = 0; index < pids.length; index += PER_TURN) {
    if (index > 0) await waitForNextTurn();
    lookAt(found, pids.slice(index, index + PER_TURN), isWanted);
  }
  return found;
};

export const findMarkedProcesses = async (wanted: string): Promise<number[]> =>
  (await findMarked(listProcesses(), (runId) => runId === wanted)).marked.map(({ pid }) => pid);

const sendSignalSafely = (pid: number, signal: NodeJS.Signals): void => {
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
    const { marked, isSure } = lookAt(createNothingFound(), listProcesses(), (runId) => runIds.has(runId));
    if (marked.length === 0 && isSure) return;
    for (const { pid } of marked) sendSignalSafely(pid, 'SIGKILL');
    if (!isSure) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BECOMING_MS);
  }
};

export interface MarkedRun {
  readonly runId: string;
  readonly pid: number;
  readonly startedAt: number;
}

interface Watch {
  readonly run: MarkedRun;
  unsure: number;
  askedAt?: number;
  pauseMs: number;
}

export interface MarkerSweepOptions {
  readonly graceMs: number;
  /** Signalling a group that is already being ended would shorten its grace period. */
  readonly isEnding: (group: number) => boolean;
  readonly onGone?: (runId: string) => void;
  readonly onQuiet: () => void;
}

const BECOMING_MS = 5;
const UNSURE_LOOKS = 4;
const GATHER_MS = 100;
const FIRST_PAUSE_MS = 20;
const IDS_LAST_MS = 2_000;
const GIVE_UP_MS = 1_000;

/**
 * Sends SIGTERM, and SIGKILL after the grace period. The marker is checked right before each signal, so a reused
 * process id is never hit.
 */
export class MarkerSweep {
  readonly #graceMs: number;
  readonly #isEnding: (group: number) => boolean;
  readonly #onGone: (runId: string) => void;
  readonly #onQuiet: () => void;
  readonly #watches = new Map<string, Watch>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isSweeping = false;

  constructor({ graceMs, isEnding, onGone = () => undefined, onQuiet }: MarkerSweepOptions) {
    this.#graceMs = graceMs;
    this.#isEnding = isEnding;
    this.#onGone = onGone;
    this.#onQuiet = onQuiet;
  }

  get isQuiet(): boolean {
    return this.#watches.size === 0;
  }

  get runIds(): Iterable<string> {
    return this.#watches.keys();
  }

  watch({ runId, pid, startedAt }: MarkedRun): void {
    this.#watches.set(runId, { run: { runId, pid, startedAt }, unsure: 0, pauseMs: FIRST_PAUSE_MS });
    this.#schedule(GATHER_MS);
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
    const looked = new Set(this.#watches.keys());
    const { marked, isSure } = await findMarked(this.#candidates(), (runId) => looked.has(runId));
    const now = performance.now();
    const alive = new Set(marked.map(({ runId }) => runId));
    for (const runId of looked) {
      if (!alive.has(runId)) this.#missed(runId, isSure);
    }
    for (const { pid, runId } of marked) this.#end(pid, runId, now);
    this.#isSweeping = false;
    if (this.isQuiet) this.#onQuiet();
    else this.#schedule(this.#pause(now));
  }

  /** Later processes have higher ids, so for a short run only the few processes above its first id need a check. */
  #candidates(): number[] {
    const runs = [...this.#watches.values()].map(({ run }) => run);
    const first = Math.min(...runs.map(({ pid }) => pid));
    const latest = Math.max(...runs.map(({ pid }) => pid));
    const since = Math.min(...runs.map(({ startedAt }) => startedAt));
    const isInOrder = performance.now() - since < IDS_LAST_MS && latest <= readLastId();
    return isInOrder ? listProcesses().filter((pid) => pid > first) : listProcesses();
  }

  #missed(runId: string, isSure: boolean): void {
    const watch = this.#watches.get(runId);
    if (watch !== undefined && !isSure && watch.unsure < UNSURE_LOOKS) watch.unsure += 1;
    else this.#unwatch(runId);
  }

  #end(pid: number, runId: string, now: number): void {
    const watch = this.#watches.get(runId);
    const group = Number(readProcessStat(pid)?.group);
    if (watch === undefined || group === undefined || this.#isEnding(group)) return;
    watch.askedAt ??= now;
    const waitedMs = now - watch.askedAt;
    if (waitedMs === 0) sendSignalSafely(pid, 'SIGTERM');
    else if (waitedMs >= this.#graceMs) sendSignalSafely(pid, 'SIGKILL');
    if (waitedMs >= this.#graceMs + GIVE_UP_MS) this.#unwatch(runId);
  }

  #unwatch(runId: string): void {
    this.#watches.delete(runId);
    this.#onGone(runId);
  }

  #pause(now: number): number {
    let pauseMs = GATHER_MS;
    for (const watch of this.#watches.values()) {
      if (watch.askedAt === undefined && watch.unsure === 0) continue;
      const leftMs = Math.max(FIRST_PAUSE_MS, (watch.askedAt ?? now) + this.#graceMs - now);
      pauseMs = Math.min(pauseMs, watch.pauseMs, leftMs);
      watch.pauseMs *= 2;
    }
    return pauseMs;
  }
}
