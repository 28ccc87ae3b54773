import { spawn } from 'node:child_process';
import { codeOf, processStat } from '../../kit/node.ts';
import { windowsFile } from '../shells.ts';
import { endMarkedNow, MarkerSweep } from './marker-sweep.ts';
import type { OrphanGuard, ReportTrouble } from './orphan-guard.ts';
import { type Child, leadsGroup } from './start-process.ts';

/** Something that must not outlive this process. */
interface Dependent {
  /** Ends it at once and before returning. */
  endNow(): void;
}

const dependents = new Set<Dependent>();

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

const endAll = (): void => {
  for (const dependent of dependents) dependent.endNow();
};

let finishing = 0;

/**
 * From now on a signal that the host listens for itself leaves hooks alone: it lets them finish, and ends the process when it
 * is done. Returns what takes it back.
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
 * A listener for a signal keeps Node from dying of it, so ours ends our processes, steps aside and leaves the rest to
 * the other listeners; without any, the signal is sent again and does what it would have done without us.
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

/** From now on `dependent` ends when the host does: by `process.exit`, an uncaught error or a signal that can be heard. */
const endWithHost = (dependent: Dependent): void => {
  if (dependents.size === 0) {
    process.prependListener('exit', endAll);
    // In front, because a listener that is called once is no longer counted after it was called.
    for (const signal of signals) process.prependListener(signal, onSignal);
  }
  dependents.add(dependent);
};

/** Takes it back. The last one out removes the listeners, so that an idle engine leaves no trace in its host. */
const outlivesHost = (dependent: Dependent): void => {
  if (!dependents.delete(dependent) || dependents.size > 0) return;
  process.removeListener('exit', endAll);
  for (const signal of signals) process.removeListener(signal, onSignal);
};

/** How much longer than the grace period an ended group may still be signalled. */
const SIGNALLABLE_MS = 250;
/** How long after the exit of its child a group may be asked for the first time. */
const PROBE_WITHIN_MS = 100;
/** How often a group is asked whether anything of it is left. */
const REVIEW_MS = 20;
/** What does not end although it was killed hangs in the system itself. */
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
  /** Nothing is left, or nothing that we may touch. */
  #isEmpty = false;
  #wasSeenEmpty = false;

  /** @internal A child is a thing of Node, whose types not every reader of ours has. */
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
   * To be called at the child's `exit`. From then on its id is free for others as soon as no member of the group is
   * left, so the group is asked at the end of this turn: one that is empty then is never touched again.
   */
  noteExit(): void {
    const exitedAt = this.#child.exitedAt ?? performance.now();
    this.#exitedAt = exitedAt;
    this.#guard?.removeGroup(this.pid);
    // Not before the answer: asking an empty group costs an exception.
    setImmediate(() => {
      if (performance.now() - exitedAt > PROBE_WITHIN_MS) this.forget();
      else if (!this.isOver()) this.#guard?.addGroup(this.pid);
    });
  }

  /** From now on it is none of our business, whatever is left of it. */
  forget(): void {
    this.#isEmpty = true;
    this.#guard?.removeGroup(this.pid);
  }

  /** Whether nothing is left that we may signal. */
  isOver(): boolean {
    if (this.#exitedAt !== undefined) this.send(0);
    return this.#isEmpty;
  }

  /**
   * Whether we know that nothing is left. A group that was checked too late may have members, or its id may be reused.
   */
  get wasSeenEmpty(): boolean {
    return this.#wasSeenEmpty;
  }

  /** Sends to the whole group; 0 only asks. */
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

/** A group that is being ended. */
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

/** The processes of one engine: those that run and those that are being ended. It sees to it that none outlives the host. */
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

  /** Groups whose hook has not been answered for yet. */
  get running(): number {
    return this.#running.size;
  }

  /** Groups that are being ended. */
  get dying(): number {
    return this.#dying.size;
  }

  /** A run is about to start: from its first moment on nothing of it is to outlive the host. */
  announce(runId: string): void {
    const { guard, report = ignore } = this.#options;
    guard?.addRun(runId, report);
  }

  /** An announced run could not be started. */
  withdraw(runId: string): void {
    this.#options.guard?.removeRun(runId);
  }

  /** @internal Takes charge of a child that was just started. */
  open(child: Child, pid: number, runId: string): ProcessGroup {
    const group = new ProcessGroup(child, pid, runId, this.#options);
    this.#running.add(group);
    endWithHost(this);
    return group;
  }

  /** The hook was answered for and may leave processes behind. */
  release(group: ProcessGroup): void {
    this.#running.delete(group);
    group.forget();
    this.#options.guard?.removeRun(group.runId);
    this.#rest();
  }

  /** The hook was answered for; what is left of its group is asked to end, and made to after the grace period. */
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

  /** Resolves when nothing runs or is being ended any more, and after `maxMs` in any case. */
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

  /** The host ends: no time is left for manners. */
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
      // Members killed for good may linger as zombies until they are reaped; there is nothing left to do for us.
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

/** A signal that ends a process or lets it go on; 0 only asks whether it is there. */
type EndingSignal = 'SIGTERM' | 'SIGKILL' | 'SIGCONT' | 0;

/** A child of ours. `hasExited` as soon as its exit was seen, from when on its id may be that of another process. */
interface SignalTarget {
  readonly child: Child;
  readonly pid: number;
  readonly hasExited: boolean;
}

/** What is known after a signal: it may have arrived, nothing is left, or what is left is out of our hands. */
type Reach = 'sent' | 'gone' | 'out-of-reach';

/** POSIX: the child leads a group of its own. */
const sendToGroup = ({ child: { starter }, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  // Its id cannot be that of another process: its starter has not seen the child end. We may be yet to hear of that.
  const isHeld = hasExited || starter === undefined || processStat(pid)?.parent === String(starter);
  if (!isHeld) return 'sent';
  try {
    process.kill(-pid, signal);
    return 'sent';
  } catch (error) {
    if (!hasExited) return 'sent';
    // EPERM: what is left belongs to another user.
    return codeOf(error) === 'ESRCH' ? 'gone' : 'out-of-reach';
  }
};

/** Windows: the tree hangs by the child, and without it cannot be found. There is one way to end, and none to ask. */
const sendToTree = ({ child, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  if (hasExited) return 'out-of-reach';
  if (signal === 0) return 'sent';
  const { file, args } = killTreeCommand(pid, process.env);
  spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => child.kill())
    .unref();
  return 'sent';
};

const sendSignal = leadsGroup ? sendToGroup : sendToTree;

/** @internal Its path is absolute: a `taskkill.exe` in the working directory must not be the one that runs. */
export const killTreeCommand = (pid: number, environment: Readonly<Record<string, string | undefined>>) => {
  const root = environment.SystemRoot ?? environment.SYSTEMROOT;
  return {
    file: windowsFile(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
