// Keeps track of the processes of an engine, and ends them: after a run, on dispose, and with the host.
import { type EndingSignal, sendSignal } from './kill-processes.ts';
import { endMarkedNow, MarkerSweep } from './marker-sweep.ts';
import type { OrphanGuard, ReportTrouble } from './orphan-guard.ts';
import type { Child } from './start-process.ts';

interface Dependent {
  /** Ends its processes synchronously. */
  endNow(): void;
}

const dependents = new Set<Dependent>();

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

const endAll = (): void => {
  for (const dependent of dependents) dependent.endNow();
};

let finishing = 0;

/**
 * Lets hooks finish on signals that the host listens for itself: the host then ends the process when it is done. Returns a
 * function that undoes this.
 */
export const finishOnSignal = (): (() => void) => {
  finishing += 1;
  let isBack = false;
  return () => {
    if (!isBack) finishing -= 1;
    isBack = true;
  };
};

/**
 * A signal listener keeps Node from exiting, so this one ends our processes, removes itself and leaves the rest to
 * other listeners. Without other listeners the signal is sent again, with its default effect.
 */
const onSignal = (signal: NodeJS.Signals): void => {
  if (finishing > 0 && process.listenerCount(signal) > 1) return;
  endAll();
  process.removeListener(signal, onSignal);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(listenAgain, signal).unref();
};

const listenAgain = (signal: NodeJS.Signals): void => {
  if (dependents.size > 0 && !process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
};

/** Ends `dependent` with the host: at `process.exit`, an uncaught error or a signal that can be caught. */
const endWithHost = (dependent: Dependent): void => {
  if (dependents.size === 0) {
    process.prependListener('exit', endAll);
    // First in the list: a `once` listener that ran before ours would no longer be counted.
    for (const signal of signals) process.prependListener(signal, onSignal);
  }
  dependents.add(dependent);
};

/** Undoes `endWithHost`. The last dependent removes the listeners, so that an idle engine leaves none in its host. */
const outlivesHost = (dependent: Dependent): void => {
  if (!dependents.delete(dependent) || dependents.size > 0) return;
  process.removeListener('exit', endAll);
  for (const signal of signals) process.removeListener(signal, onSignal);
};

/** How long after the grace period an ended group may still be signalled. */
const SIGNALLABLE_MS = 250;
/** How long after the exit of its child a group may be probed for the first time. */
const PROBE_WITHIN_MS = 100;
/** How often a group that is being ended is probed. */
const REVIEW_MS = 20;
/** After that a killed process hangs in the kernel. */
const GIVE_UP_MS = 1_000;

const ignore = (): void => undefined;

/** A child, and on POSIX the process group it leads. */
export class ProcessGroup {
  readonly runId: string;
  /** The id of the group too: the child leads it. */
  readonly pid: number;
  readonly startedAt = performance.now();
  readonly #child: Child;
  readonly #graceMs: number;
  readonly #guard: OrphanGuard | undefined;
  #exitedAt: number | undefined;
  /** No process is left that we may signal. */
  #isEmpty = false;
  #wasSeenEmpty = false;

  /** @internal The types of a child come from Node. */
  constructor(child: Child, pid: number, runId: string, { killGraceMs, guard }: ProcessTableOptions) {
    this.#child = child;
    this.pid = pid;
    this.runId = runId;
    this.#graceMs = killGraceMs;
    this.#guard = guard;
    guard?.addGroup(pid);
  }

  get hasExited(): boolean {
    return this.#exitedAt !== undefined;
  }

  /**
   * To be called at the child's `exit`. Its id is free for other processes once no member of the group is left, so the group
   * is probed at the end of this turn: an empty one is never signalled again.
   */
  noteExit(): void {
    const exitedAt = this.#child.exitedAt ?? performance.now();
    this.#exitedAt = exitedAt;
    this.#guard?.removeGroup(this.pid);
    // After the answer: probing an empty group throws.
    setImmediate(() => {
      if (performance.now() - exitedAt > PROBE_WITHIN_MS) this.forget();
      else if (!this.isOver()) this.#guard?.addGroup(this.pid);
    });
  }

  /** Never signals it again, even if processes are left. */
  forget(): void {
    this.#isEmpty = true;
    this.#guard?.removeGroup(this.pid);
  }

  isOver(): boolean {
    if (this.#exitedAt !== undefined) this.send(0);
    return this.#isEmpty;
  }

  /**
   * Whether the group was seen empty. One that was probed too late may have members, or its id may be reused.
   */
  get wasSeenEmpty(): boolean {
    return this.#wasSeenEmpty;
  }

  /** Sends to the whole group; 0 only probes. */
  send(signal: EndingSignal): void {
    if (this.#exitedAt !== undefined && performance.now() > this.#exitedAt + this.#graceMs + SIGNALLABLE_MS) {
      this.forget();
    }
    if (this.#isEmpty) return;
    const reach = sendSignal({ child: this.#child, pid: this.pid, hasExited: this.hasExited }, signal);
    if (reach === 'sent') return;
    this.#wasSeenEmpty = reach === 'gone';
    this.forget();
  }
}

interface Ending {
  readonly killTimer: ReturnType<typeof setTimeout>;
  readonly giveUpAt: number;
  isKilled: boolean;
}

interface ProcessTableOptions {
  readonly killGraceMs: number;
  /** Ends the processes if the host is killed. */
  readonly guard?: OrphanGuard | undefined;
  readonly report?: ReportTrouble | undefined;
}

/** The processes of one engine, running or being ended. None of them outlives the host. */
export class ProcessTable implements Dependent {
  readonly #options: ProcessTableOptions;
  readonly #running = new Set<ProcessGroup>();
  readonly #dying = new Map<ProcessGroup, Ending>();
  readonly #sweep: MarkerSweep | undefined;
  readonly #whenIdle = new Set<() => void>();
  #review: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ProcessTableOptions) {
    this.#options = options;
    if (process.platform !== 'linux') return;
    this.#sweep = new MarkerSweep({
      graceMs: options.killGraceMs,
      isEnding: (pid) => [...this.#dying.keys()].some((group) => group.pid === pid),
      onGone: (runId) => options.guard?.removeRun(runId),
      onQuiet: () => this.#rest(),
    });
  }

  /** Number of groups whose hook has no result yet. */
  get running(): number {
    return this.#running.size;
  }

  /** Number of groups that are being ended. */
  get dying(): number {
    return this.#dying.size;
  }

  /** A run is about to start. From then on the orphan guard ends it if the host is killed. */
  announce(runId: string): void {
    const { guard, report = ignore } = this.#options;
    guard?.addRun(runId, report);
  }

  /** An announced run could not be started. */
  withdraw(runId: string): void {
    this.#options.guard?.removeRun(runId);
  }

  /** @internal Adds a child that was just started. */
  open(child: Child, pid: number, runId: string): ProcessGroup {
    const group = new ProcessGroup(child, pid, runId, this.#options);
    this.#running.add(group);
    endWithHost(this);
    return group;
  }

  /** Called when the hook has its result and may leave processes in the background. */
  release(group: ProcessGroup): void {
    this.#running.delete(group);
    group.forget();
    this.#options.guard?.removeRun(group.runId);
    this.#rest();
  }

  /** Called when the hook has its result: its group gets SIGTERM, and SIGKILL after the grace period. */
  end(group: ProcessGroup): void {
    this.#running.delete(group);
    if (this.#sweep === undefined) this.#options.guard?.removeRun(group.runId);
    else this.#sweep.watch(group);
    if (group.isOver()) {
      this.#rest();
      return;
    }
    const kill = (): void => {
      ending.isKilled = true;
      group.send('SIGKILL');
      this.#scheduleReview();
    };
    const ending: Ending = {
      killTimer: setTimeout(kill, this.#options.killGraceMs).unref(),
      giveUpAt: performance.now() + this.#options.killGraceMs + GIVE_UP_MS,
      isKilled: false,
    };
    this.#dying.set(group, ending);
    group.send('SIGTERM');
    this.#sweep?.hurry();
    this.#scheduleReview();
  }

  /** Resolves when no process is left, at the latest after `maxMs`. */
  idle(maxMs: number): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#whenIdle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      this.#whenIdle.add(done);
      this.#sweep?.hurry();
    });
  }

  /** The host ends, so there is no grace period. */
  endNow(): void {
    const groups = [...this.#running, ...this.#dying.keys()];
    for (const group of groups) group.send('SIGKILL');
    if (this.#sweep !== undefined) endMarkedNow(new Set([...groups.map(({ runId }) => runId), ...this.#sweep.runIds]));
  }

  get #isIdle(): boolean {
    return this.#running.size === 0 && this.#dying.size === 0 && (this.#sweep?.isQuiet ?? true);
  }

  #rest(): void {
    if (this.#whenIdle.size > 0) this.#sweep?.hurry();
    if (!this.#isIdle) return;
    outlivesHost(this);
    for (const done of [...this.#whenIdle]) done();
  }

  #scheduleReview(): void {
    this.#review ??= setTimeout(() => this.#reviewDying(), REVIEW_MS).unref();
  }

  #reviewDying(): void {
    this.#review = undefined;
    for (const [group, ending] of this.#dying) {
      // Killed members may stay zombies until they are reaped.
      const isDone = group.isOver() || (ending.isKilled && group.hasExited) || performance.now() > ending.giveUpAt;
      if (!isDone) continue;
      clearTimeout(ending.killTimer);
      group.forget();
      this.#dying.delete(group);
    }
    if (this.#dying.size > 0) this.#scheduleReview();
    else this.#rest();
  }
}
