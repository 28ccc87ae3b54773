import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { isSameList } from '../../../kit/index.ts';
import { processStat, readProc } from '../../../kit/node.ts';
import { changeSinceApproved, type HookConfig } from '../../../protocol/index.ts';
import { RUN_MARKER } from '../../environment.ts';
import type { ProcessGroup, ProcessTable } from '../../process/process-table.ts';
import { discard, type ProcessRequest, type RunProcess, runProcess, watchProcess } from '../../process/run-process.ts';
import { type Child, newRunId, type Start } from '../../process/start-process.ts';
import { filesOf, stampOf } from './stamps.ts';

/** An older spare has seen too little of what changed since. */
const MAX_AGE_MS = 30_000;
/** How often an unused spare is replaced by a fresh one. */
const MAX_RENEWALS = 10;
/** After an answer the host has something else to do first. */
const PAUSE_MS = 5;

/** How the process of one run came about. */
export interface Warmth {
  readonly warm: 'hit' | 'miss';
  /** What a spare was seen to do before it read; from then on the hook is started when its event comes. */
  readonly deed?: string | undefined;
}

/** One that waits, and when it has become too old. */
interface Waiting {
  readonly spare: Spare;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface Slot {
  readonly waiting: Waiting[];
  starting: number;
  pause?: ReturnType<typeof setTimeout> | undefined;
  renewals: number;
  demoted?: string | undefined;
}

interface SparesLimits {
  readonly most: number;
  readonly mostOfOneHook: number;
}

/**
 * The processes that wait for the next event of hooks that are `warm`. At most so many for each hook, and in all; what they
 * were started with has to be what the hook means at the moment of the event, or they are ended unused.
 */
export class Spares {
  readonly #processes: ProcessTable;
  readonly #limits: SparesLimits;
  readonly #slots = new Map<HookConfig, Slot>();
  #isClosed = false;

  constructor(processes: ProcessTable, limits: SparesLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  /** Runs one process for a hook: by its spare if that may be used, else as ever. `tell` hears how. */
  runner(hook: HookConfig, tell: (warmth: Warmth) => void): RunProcess {
    return (start, processes, request) => {
      const slot = this.#slotOf(hook);
      const spare = this.#take(slot, (promise) => promise.holdsFor(request, hook.watch));
      tell({ warm: spare === undefined ? 'miss' : 'hit', deed: slot.demoted });
      const prepare = (): void => {
        slot.renewals = 0;
        this.#startSoon(slot, hook, start, request);
      };
      const outcome =
        spare === undefined
          ? runProcess(start, processes, request)
          : watchProcess(spare.child, spare.group, processes, request);
      return outcome.finally(prepare);
    };
  }

  /** Ends what is kept for hooks that are not among these. */
  retain(hooks: readonly HookConfig[]): void {
    const wanted = new Set(hooks);
    for (const [hook, slot] of this.#slots) {
      if (wanted.has(hook)) continue;
      this.#slots.delete(hook);
      this.#empty(slot);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.retain([]);
  }

  #slotOf(hook: HookConfig): Slot {
    let slot = this.#slots.get(hook);
    if (slot === undefined) {
      slot = { waiting: [], starting: 0, renewals: 0 };
      this.#slots.set(hook, slot);
    }
    return slot;
  }

  /** One for this very process, that has done nothing but wait. */
  #take(slot: Slot, isRight: (promise: SparePromise) => boolean): Spare | undefined {
    for (let next = slot.waiting.shift(); next !== undefined; next = slot.waiting.shift()) {
      const { spare, timer } = next;
      clearTimeout(timer);
      const { deed, isGone } = spare.state();
      slot.demoted ??= deed;
      if (slot.demoted === undefined && !isGone && isRight(spare.promise)) {
        spare.release();
        return spare;
      }
      spare.end();
    }
    return undefined;
  }

  #startSoon(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): void {
    clearTimeout(slot.pause);
    if (!this.#isWanted(slot, hook)) return;
    slot.pause = setTimeout(() => {
      if (!this.#isWanted(slot, hook) || this.#count() >= this.#limits.most) return;
      // One that cannot be started is not tried again before the next event.
      void this.#start(slot, hook, start, request).then((waits) => {
        if (waits) this.#startSoon(slot, hook, start, request);
      });
    }, PAUSE_MS).unref();
  }

  #isWanted(slot: Slot, hook: HookConfig): boolean {
    const hasRoom = slot.waiting.length + slot.starting < this.#limits.mostOfOneHook;
    return hasRoom && !this.#isClosed && slot.demoted === undefined && this.#slots.get(hook) === slot;
  }

  #count(): number {
    let count = 0;
    for (const { waiting, starting } of this.#slots.values()) count += waiting.length + starting;
    return count;
  }

  /** Whether one more waits now. */
  async #start(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): Promise<boolean> {
    slot.starting += 1;
    // Approved was what is started here, too: the event will say what of it changed.
    const isChanged = (await changeSinceApproved(hook)) !== undefined;
    slot.starting -= 1;
    if (isChanged || !this.#isWanted(slot, hook)) return false;
    slot.starting += 1;
    const runId = newRunId();
    const wanted = { ...request, runId, env: { ...request.env, [RUN_MARKER]: runId } };
    // Looked at before the process does: what changes from now on shows.
    const promise = new SparePromise(wanted, hook.watch);
    this.#processes.announce(runId);
    const starting = start(wanted);
    const started = starting instanceof Promise ? await starting : starting;
    slot.starting -= 1;
    // The event will find out, and say, why it cannot be started.
    if ('failure' in started || !this.#isWanted(slot, hook)) {
      discard(started, this.#processes, runId);
      return false;
    }
    const group = this.#processes.open(started.child, started.child.pid ?? 0, runId);
    const spare = new Spare(started.child, group, this.#processes, promise);
    const timer = setTimeout(() => this.#renew(slot, spare, { hook, start, request }), MAX_AGE_MS).unref();
    slot.waiting.push({ spare, timer });
    return true;
  }

  #renew(slot: Slot, old: Spare, again: { hook: HookConfig; start: Start; request: ProcessRequest }): void {
    const at = slot.waiting.findIndex(({ spare }) => spare === old);
    if (at < 0) return;
    slot.waiting.splice(at, 1);
    slot.demoted ??= old.state().deed;
    old.end();
    slot.renewals += 1;
    if (slot.renewals <= MAX_RENEWALS) this.#startSoon(slot, again.hook, again.start, again.request);
  }

  #empty(slot: Slot): void {
    clearTimeout(slot.pause);
    for (const { spare, timer } of slot.waiting.splice(0)) {
      clearTimeout(timer);
      spare.end();
    }
  }
}

/** How often a new process is looked at, until it has come to wait for its input. */
const LOOK_EVERY_MS = 100;
/** No interpreter needs as much to start. */
const TOO_MUCH_NS = 5_000_000_000;

const ignore = (): void => undefined;

/** What can be said of one when it is needed, or has become too old. */
interface SpareState {
  /** What it did although it had nothing to read yet. */
  readonly deed: string | undefined;
  /** It was ended from outside and cannot be used. */
  readonly isGone: boolean;
}

/**
 * A process that was started ahead of its event and waits for its input. It never keeps the host alive, and is watched:
 * one that does anything but wait is of no use, and neither are others of its hook.
 */
class Spare {
  readonly child: Child;
  readonly group: ProcessGroup;
  readonly promise: SparePromise;
  readonly startedAt = performance.now();
  readonly #processes: ProcessTable;
  readonly #streams: ReadonlySet<string>;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #last: ProcessLook | undefined;
  #atRest: ProcessLook | undefined;
  #deed: string | undefined;
  #isGone = false;

  constructor(child: Child, group: ProcessGroup, processes: ProcessTable, promise: SparePromise) {
    this.child = child;
    this.group = group;
    this.promise = promise;
    this.#processes = processes;
    this.#streams = streamsOf(group.pid);
    child.on('error', ignore);
    child.stdin?.on('error', ignore);
    child.once('exit', this.#onExit);
    child.stdout?.on('data', this.#onOutput).on('error', ignore);
    child.stderr?.on('data', this.#onOutput).on('error', ignore);
    this.#setRef(false);
    this.#lookAgain();
  }

  /** One look tells all of it: an event waits for it. */
  state(): SpareState {
    const deed = this.#deed;
    const rest = deed === undefined && !this.#isGone ? this.#atRest : undefined;
    const now = rest === undefined ? undefined : lookAt(this.group.pid, this.#streams);
    if (rest !== undefined && now !== undefined) return { deed: changeBetween(rest, now), isGone: false };
    return { deed, isGone: this.#isGone || !isAlive(this.group.pid) };
  }

  /** From now on its new owner listens to it, in this very turn. */
  release(): void {
    clearTimeout(this.#looking);
    this.child.removeListener('exit', this.#onExit);
    this.child.stdout?.removeListener('data', this.#onOutput);
    this.child.stderr?.removeListener('data', this.#onOutput);
    this.#setRef(true);
  }

  end(): void {
    clearTimeout(this.#looking);
    if (this.#isGone) return;
    this.#isGone = true;
    // First the signal: at the end of its input it would go on, in a file that may be another by now.
    this.#processes.end(this.group);
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream?.destroy();
  }

  #lookAgain(): void {
    this.#looking = setTimeout(() => {
      const now = lookAt(this.group.pid, this.#streams);
      const last = this.#last;
      this.#last = now;
      if (now === undefined) return;
      if (last !== undefined && restsSince(last, now)) this.#atRest = now;
      else if (now.cpuNs > TOO_MUCH_NS) this.#deed ??= 'went on computing';
      else this.#lookAgain();
    }, LOOK_EVERY_MS).unref();
  }

  readonly #onOutput = (): void => {
    this.#deed ??= 'wrote something';
  };

  readonly #onExit = (exitCode: number | null): void => {
    this.group.noteExit();
    // A signal was sent from outside.
    if (exitCode !== null) this.#deed ??= `ended with exit code ${exitCode}`;
    this.end();
  };

  #setRef(isRef: boolean): void {
    const { stdin, stdout, stderr } = this.child;
    if (isRef) this.child.ref();
    else this.child.unref();
    for (const stream of [stdin, stdout, stderr]) {
      if (stream instanceof Socket) isRef ? stream.ref() : stream.unref();
    }
  }
}

/** What can be seen of a process that should be waiting, and of those that it started: a shell often has others do its work. */
interface ProcessLook {
  readonly pids: readonly number[];
  readonly cpuNs: number;
  /** All of them wait for something, and do not merely wait for a processor. */
  readonly sleeps: boolean;
  readonly writtenBytes: number;
  /** Sockets beside those that they were given as standard streams. */
  readonly sockets: number;
}

const STANDARD_STREAMS = ['0', '1', '2'];

const socketAt = (pid: number, fd: string): string | undefined => {
  try {
    const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
    return target.startsWith('socket:') ? target : undefined;
  } catch {
    return undefined;
  }
};

/** The sockets a process was given as its standard streams; a shell that redirects them keeps copies elsewhere. */
const streamsOf = (pid: number): ReadonlySet<string> =>
  new Set(STANDARD_STREAMS.flatMap((fd) => socketAt(pid, fd) ?? []));

const socketsOf = (pid: number, streams: ReadonlySet<string>): number =>
  readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => !STANDARD_STREAMS.includes(fd))
    .flatMap((fd) => socketAt(pid, fd) ?? [])
    .filter((socket) => !streams.has(socket)).length;

/** None where the kernel does not list them. Those that a further thread started are not among them. */
const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number);
  } catch {
    return [];
  }
};

const isDead = (state: string): boolean => state === 'Z' || state === 'X';

const lookAtOne = (pid: number, streams: ReadonlySet<string>): ProcessLook | undefined => {
  try {
    const state = processStat(pid)?.state;
    if (state === undefined || isDead(state)) return undefined;
    const [cpu] = readProc(`/proc/${pid}/schedstat`).split(' ');
    const written = /^wchar: (\d+)$/m.exec(readProc(`/proc/${pid}/io`))?.[1];
    return {
      pids: [pid],
      cpuNs: Number(cpu),
      sleeps: state === 'S',
      writtenBytes: Number(written),
      sockets: socketsOf(pid, streams),
    };
  } catch {
    return undefined;
  }
};

/** Nothing where there is no /proc, or no such process. */
const lookAt = (pid: number, streams: ReadonlySet<string>): ProcessLook | undefined => {
  let look = lookAtOne(pid, streams);
  if (look === undefined) return undefined;
  for (const child of childrenOf(pid)) {
    const below = lookAt(child, streams);
    // It ended in the meantime; its output counts for the hook that waited for it.
    if (below === undefined) continue;
    look = {
      pids: [...look.pids, ...below.pids],
      cpuNs: look.cpuNs + below.cpuNs,
      sleeps: look.sleeps && below.sleeps,
      writtenBytes: look.writtenBytes + below.writtenBytes,
      sockets: look.sockets + below.sockets,
    };
  }
  return look;
};

/** Whether a process is there and not merely waiting to be reaped; where there is no /proc its exit will tell. */
const isAlive = (pid: number): boolean => {
  if (process.platform !== 'linux') return true;
  const state = processStat(pid)?.state;
  return state !== undefined && !isDead(state);
};

/** One that took no more than this since the last look rests. How long that takes depends on what else the machine does. */
const RESTS_BELOW_NS = 1_000_000;

const restsSince = (last: ProcessLook, now: ProcessLook): boolean =>
  last.sleeps &&
  now.sleeps &&
  now.cpuNs - last.cpuNs < RESTS_BELOW_NS &&
  now.writtenBytes === last.writtenBytes &&
  now.pids.join() === last.pids.join();

/** Interpreters wake up now and then: a little of both means nothing. */
const IDLE_CPU_NS = 30_000_000;
const IDLE_WRITTEN_BYTES = 256;

/** What a process did between two looks that one does not do who waits. */
const changeBetween = (first: ProcessLook, then: ProcessLook): string | undefined => {
  if (then.sockets > 0) return 'opened a socket';
  if (then.cpuNs - first.cpuNs > IDLE_CPU_NS) return 'went on computing';
  if (then.writtenBytes - first.writtenBytes > IDLE_WRITTEN_BYTES) return 'went on writing';
  return undefined;
};

type Launch = Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env'>;

/** The same variables, but for the one that is another in each process. */
const isSameEnvironment = (a: Launch['env'], b: Launch['env']): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name === RUN_MARKER || a[name] === b[name]);
};

/**
 * What a process that is started ahead will do when its event comes: what its hook means now, in files as they are now.
 * Should any of that be another, it is no longer what the hook means.
 */
class SparePromise {
  readonly #launch: Launch;
  readonly #watch: readonly string[];
  readonly #files: readonly string[];
  readonly #stamps: readonly string[];

  constructor(launch: Launch, watch: readonly string[] = []) {
    this.#launch = launch;
    this.#watch = [...watch];
    this.#files = filesOf(launch, watch);
    this.#stamps = this.#files.map(stampOf);
  }

  holdsFor(launch: Launch, watch: readonly string[] = []): boolean {
    const { file, args, cwd, env } = this.#launch;
    return (
      launch.file === file &&
      launch.cwd === cwd &&
      isSameList(launch.args, args) &&
      isSameList(watch, this.#watch) &&
      isSameEnvironment(launch.env, env) &&
      isSameList(this.#files.map(stampOf), this.#stamps)
    );
  }
}
