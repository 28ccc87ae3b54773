import { type ChildProcess, spawn } from 'node:child_process';
import { endWithHost, type Mortal, outlivesHost } from './host-exit.ts';
import { killTreeCommand } from './kill-tree.ts';
import { endMarkedNow, MarkerSweep } from './marker-sweep.ts';

/** How much longer than the grace period an ended group may still be signalled. */
const SIGNALLABLE_MS = 250;
/** How often a group is asked whether anything of it is left. */
const REVIEW_MS = 20;
/** What does not end although it was killed hangs in the system itself. */
const GIVE_UP_MS = 1_000;

/** A child, and on POSIX the process group it leads. */
export class ProcessGroup {
  readonly runId: string;
  /** The id of the group too: the child leads it. */
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #hasExited = false;
  #isEmpty = false;
  #signallableUntil = Number.POSITIVE_INFINITY;

  constructor(child: ChildProcess, pid: number, runId: string, graceMs: number) {
    this.#child = child;
    this.pid = pid;
    this.runId = runId;
    this.#graceMs = graceMs;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** To be called in the turn of `exit`, when the id cannot belong to anyone else yet. */
  noteExit(): void {
    this.#hasExited = true;
    this.#signallableUntil = performance.now() + this.#graceMs + SIGNALLABLE_MS;
    if (killTreeCommand(process.platform, this.pid, process.env) !== undefined) this.#isEmpty = true;
    else this.send(0);
  }

  /**
   * Whether nothing is left that we may signal. While the child has not been seen to exit, its id is its own; later it
   * stays reserved only as long as a member of the group lives, so a group once found empty is never touched again.
   */
  isOver(): boolean {
    if (this.#hasExited) this.send(0);
    return this.#hasExited && this.#isEmpty;
  }

  /** Sends to the whole group; 0 only asks. */
  send(signal: NodeJS.Signals | 0): void {
    if (this.#isEmpty) return;
    if (performance.now() > this.#signallableUntil) {
      this.#isEmpty = true;
      return;
    }
    const killTree = killTreeCommand(process.platform, this.pid, process.env);
    if (killTree !== undefined) {
      if (signal === 0) return;
      spawn(killTree.file, killTree.args, { stdio: 'ignore', windowsHide: true })
        .on('error', () => this.#child.kill())
        .unref();
      return;
    }
    try {
      process.kill(-this.pid, signal);
    } catch {
      // ESRCH: nobody is left. EPERM: what is left belongs to another user and is out of our hands.
      if (this.#hasExited) this.#isEmpty = true;
    }
  }
}

/** A group that is being ended. */
interface Ending {
  readonly killTimer: ReturnType<typeof setTimeout>;
  readonly giveUpAt: number;
  isKilled: boolean;
}

export interface ProcessTableOptions {
  readonly killGraceMs: number;
}

/** The processes of one engine: those that run and those that are being ended. It sees to it that none outlives the host. */
export class ProcessTable implements Mortal {
  readonly #graceMs: number;
  readonly #running = new Set<ProcessGroup>();
  readonly #dying = new Map<ProcessGroup, Ending>();
  readonly #sweep: MarkerSweep | undefined;
  readonly #whenIdle = new Set<() => void>();
  #review: ReturnType<typeof setTimeout> | undefined;

  constructor({ killGraceMs }: ProcessTableOptions) {
    this.#graceMs = killGraceMs;
    if (process.platform !== 'linux') return;
    this.#sweep = new MarkerSweep({
      graceMs: killGraceMs,
      isEnding: (pid) => [...this.#dying.keys()].some((group) => group.pid === pid),
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

  /** Takes charge of a child that was just started. */
  open(child: ChildProcess, pid: number, runId: string): ProcessGroup {
    const group = new ProcessGroup(child, pid, runId, this.#graceMs);
    this.#running.add(group);
    endWithHost(this);
    return group;
  }

  /** The hook was answered for and may leave processes behind. */
  release(group: ProcessGroup): void {
    this.#running.delete(group);
    this.#rest();
  }

  /** The hook was answered for; what is left of its group is asked to end, and made to after the grace period. */
  end(group: ProcessGroup): void {
    this.#running.delete(group);
    this.#sweep?.watch(group.runId);
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
      killTimer: setTimeout(kill, this.#graceMs).unref(),
      giveUpAt: performance.now() + this.#graceMs + GIVE_UP_MS,
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
      // Members killed for good may linger as zombies until somebody reaps them; there is nothing left to do for us.
      const isDone = group.isOver() || (ending.isKilled && group.hasExited) || performance.now() > ending.giveUpAt;
      if (!isDone) continue;
      clearTimeout(ending.killTimer);
      this.#dying.delete(group);
    }
    if (this.#dying.size > 0) this.#scheduleReview();
    else this.#rest();
  }
}
