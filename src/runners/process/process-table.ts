// Tracks the running processes of an engine, and ends them after a run, on dispose, or when the host exits.
import { doNothing } from '../../kit/index.ts';
import { type EndingSignal, sendSignal } from './kill-processes.ts';
import { endMarkedNow, MarkerSweep } from './marker-sweep.ts';
import type { OrphanGuard, TroubleReporter } from './orphan-guard.ts';
import type { Child } from './start-process.ts';

const tablesToEnd = new Set<ProcessTable>();

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

const endAllProcesses = (): void => {
  for (const table of tablesToEnd) table.endNow();
};

let finishRequestCount = 0;

/**
 * For a host that handles a signal itself and exits later: running hooks may finish. The returned function undoes this.
 */
export const finishOnSignal = (): (() => void) => {
  finishRequestCount += 1;
  let isBack = false;
  return () => {
    if (!isBack) finishRequestCount -= 1;
    isBack = true;
  };
};

/**
 * A signal listener keeps Node from exiting. If the host has no other listener, the signal is sent again, with its
 * default effect.
 */
const onSignal = (signal: NodeJS.Signals): void => {
  if (finishRequestCount > 0 && process.listenerCount(signal) > 1) return;
  endAllProcesses();
  process.removeListener(signal, onSignal);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(listenToSignalAgain, signal).unref();
};

const listenToSignalAgain = (signal: NodeJS.Signals): void => {
  if (tablesToEnd.size > 0 && !process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
};

const endWithHost = (table: ProcessTable): void => {
  if (tablesToEnd.size === 0) {
    process.prependListener('exit', endAllProcesses);
    // Prepended, because a `once` listener that ran earlier would already be removed and not counted.
    for (const signal of endingSignals) process.prependListener(signal, onSignal);
  }
  tablesToEnd.add(table);
};

/** The last caller removes the listeners, so that an idle engine leaves none in its host. */
const releaseFromHost = (table: ProcessTable): void => {
  if (!tablesToEnd.delete(table) || tablesToEnd.size > 0) return;
  process.removeListener('exit', endAllProcesses);
  for (const signal of endingSignals) process.removeListener(signal, onSignal);
};

/** Later than this after the grace period, an exited group is not signalled any more: its id may have been reused. */
const SIGNALLABLE_MS = 250;
/** A group is first probed within this time after the exit of its child, before its id can be reused. */
const PROBE_WITHIN_MS = 100;
const CHECK_DYING_EVERY_MS = 20;
const GIVE_UP_AFTER_KILL_MS = 1_000;

export class ProcessGroup {
  readonly runId: string;
  readonly pid: number;
  readonly startedAt = performance.now();
  readonly #child: Child;
  readonly #graceMs: number;
  readonly #guard: OrphanGuard | undefined;
  #exitedAt: number | undefined;
  #isEmpty = false;
  #wasSeenEmpty = false;

  constructor(child: Child, runId: string, { killGraceMs, guard }: ProcessTableOptions) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.runId = runId;
    this.#graceMs = killGraceMs;
    this.#guard = guard;
    guard?.addGroup(this.pid);
  }

  get hasExited(): boolean {
    return this.#exitedAt !== undefined;
  }

  /**
   * Called on the child's `exit` event. Once the group is empty, its id may be reused, so the group is probed in this
   * event loop turn.
   */
  noteExit(): void {
    const exitedAt = this.#child.exitedAt ?? performance.now();
    this.#exitedAt = exitedAt;
    this.#guard?.removeGroup(this.pid);
    // Probing an empty group throws, which is slow, so it waits until the hook's answer is handled.
    setImmediate(() => {
      if (performance.now() - exitedAt > PROBE_WITHIN_MS) this.forget();
      else if (!this.isOver()) this.#guard?.addGroup(this.pid);
    });
  }

  forget(): void {
    this.#isEmpty = true;
    this.#guard?.removeGroup(this.pid);
  }

  isOver(): boolean {
    if (this.#exitedAt !== undefined) this.send(0);
    return this.#isEmpty;
  }

  /** False if the group was probed too late, because it may then have members or a reused id. */
  get wasSeenEmpty(): boolean {
    return this.#wasSeenEmpty;
  }

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

interface GroupEnding {
  readonly killTimer: ReturnType<typeof setTimeout>;
  readonly giveUpAt: number;
  isKilled: boolean;
}

interface ProcessTableOptions {
  readonly killGraceMs: number;
  readonly guard?: OrphanGuard | undefined;
  readonly report?: TroubleReporter | undefined;
}

export class ProcessTable {
  readonly #options: ProcessTableOptions;
  readonly #running = new Set<ProcessGroup>();
  readonly #dying = new Map<ProcessGroup, GroupEnding>();
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

  get running(): number {
    return this.#running.size;
  }

  get dying(): number {
    return this.#dying.size;
  }

  announce(runId: string): void {
    const { guard, report = doNothing } = this.#options;
    guard?.addRun(runId, report);
  }

  withdraw(runId: string): void {
    this.#options.guard?.removeRun(runId);
  }

  open(child: Child, runId: string): ProcessGroup {
    const group = new ProcessGroup(child, runId, this.#options);
    this.#running.add(group);
    endWithHost(this);
    return group;
  }

  release(group: ProcessGroup): void {
    this.#running.delete(group);
    group.forget();
    this.#options.guard?.removeRun(group.runId);
    this.#rest();
  }

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
    const ending: GroupEnding = {
      killTimer: setTimeout(kill, this.#options.killGraceMs).unref(),
      giveUpAt: performance.now() + this.#options.killGraceMs + GIVE_UP_AFTER_KILL_MS,
      isKilled: false,
    };
    this.#dying.set(group, ending);
    group.send('SIGTERM');
    this.#sweep?.hurry();
    this.#scheduleReview();
  }

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
    releaseFromHost(this);
    for (const done of [...this.#whenIdle]) done();
  }

  #scheduleReview(): void {
    this.#review ??= setTimeout(() => this.#reviewDying(), CHECK_DYING_EVERY_MS).unref();
  }

  #reviewDying(): void {
    this.#review = undefined;
    for (const [group, { isKilled, giveUpAt, killTimer }] of this.#dying) {
      if (!group.isOver() && !(isKilled && group.hasExited) && performance.now() <= giveUpAt) continue;
      clearTimeout(killTimer);
      group.forget();
      this.#dying.delete(group);
    }
    if (this.#dying.size > 0) this.#scheduleReview();
    else this.#rest();
  }
}
