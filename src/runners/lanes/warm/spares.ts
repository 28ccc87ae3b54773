// Starts processes of `warm` hooks in advance (spare processes), which wait for the next event.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { attempt, doNothing, isSameList } from '../../../kit/index.ts';
import { readProcessStat, readProcFile } from '../../../kit/node.ts';
import { findHookChange, type HookConfig } from '../../../protocol/index.ts';
import { RUN_MARKER } from '../../environment.ts';
import type { RunnerLimits } from '../../limits.ts';
import type { ProcessGroup, ProcessTable } from '../../process/process-table.ts';
import {
  discardProcess,
  type ProcessRequest,
  type ProcessRunner,
  runProcess,
  watchProcess,
} from '../../process/run-process.ts';
import { type Child, createRunId, destroyPipes, type ProcessStarter, setRef } from '../../process/start-process.ts';
import { listNamedFiles, readFileVersion } from './file-versions.ts';

const MAX_SPARE_AGE_MS = 30_000;
const MAX_SPARE_RENEWALS = 10;
/** Pause between an answer and the start of a new spare process, so that the host runs first. */
const START_DELAY_MS = 5;

export interface WarmLaunch {
  readonly warm: 'hit' | 'miss';
  readonly activity?: string | undefined;
}

interface WaitingSpare {
  readonly spare: Spare;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface SpareSlot {
  readonly waiting: WaitingSpare[];
  starting: number;
  pause?: ReturnType<typeof setTimeout> | undefined;
  renewals: number;
  demoted?: string | undefined;
}

type SparesLimits = Pick<RunnerLimits, 'spares' | 'sparesPerHook'>;

export class Spares {
  readonly #processes: ProcessTable;
  readonly #limits: SparesLimits;
  readonly #slots = new Map<HookConfig, SpareSlot>();
  #isClosed = false;

  constructor(processes: ProcessTable, limits: SparesLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  runner(hook: HookConfig, report: (launch: WarmLaunch) => void): ProcessRunner {
    return (start, processes, request) => {
      const slot = this.#slotOf(hook);
      const spare = this.#take(slot, (record) => record.holdsFor(request, hook.watch));
      report({ warm: spare === undefined ? 'miss' : 'hit', activity: slot.demoted });
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

  #slotOf(hook: HookConfig): SpareSlot {
    let slot = this.#slots.get(hook);
    if (slot === undefined) {
      slot = { waiting: [], starting: 0, renewals: 0 };
      this.#slots.set(hook, slot);
    }
    return slot;
  }

  #take(slot: SpareSlot, isRight: (record: LaunchRecord) => boolean): Spare | undefined {
    for (let next = slot.waiting.shift(); next !== undefined; next = slot.waiting.shift()) {
      const { spare, timer } = next;
      clearTimeout(timer);
      const { activity, isGone } = spare.state();
      slot.demoted ??= activity;
      if (slot.demoted === undefined && !isGone && isRight(spare.record)) {
        spare.release();
        return spare;
      }
      spare.end();
    }
    return undefined;
  }

  #startSoon(slot: SpareSlot, hook: HookConfig, start: ProcessStarter, request: ProcessRequest): void {
    clearTimeout(slot.pause);
    if (!this.#isWanted(slot, hook)) return;
    slot.pause = setTimeout(() => {
      if (!this.#isWanted(slot, hook) || this.#count() >= this.#limits.spares) return;
      void this.#start(slot, hook, start, request).then((waits) => {
        if (waits) this.#startSoon(slot, hook, start, request);
      });
    }, START_DELAY_MS).unref();
  }

  #isWanted(slot: SpareSlot, hook: HookConfig): boolean {
    const hasRoom = slot.waiting.length + slot.starting < this.#limits.sparesPerHook;
    return hasRoom && !this.#isClosed && slot.demoted === undefined && this.#slots.get(hook) === slot;
  }

  #count(): number {
    let count = 0;
    for (const { waiting, starting } of this.#slots.values()) count += waiting.length + starting;
    return count;
  }

  async #start(slot: SpareSlot, hook: HookConfig, start: ProcessStarter, request: ProcessRequest): Promise<boolean> {
    slot.starting += 1;
    // An approved hook must not be started in advance with files changed since the approval. The next event reports the
    // change.
    const isChanged = (await findHookChange(hook)) !== undefined;
    slot.starting -= 1;
    if (isChanged || !this.#isWanted(slot, hook)) return false;
    slot.starting += 1;
    const runId = createRunId();
    const wanted = { ...request, runId, env: { ...request.env, [RUN_MARKER]: runId } };
    // The record keeps the state of files before the process reads them, so that a later change is noticed.
    const record = new LaunchRecord(wanted, hook.watch);
    this.#processes.announce(runId);
    const starting = start(wanted);
    const started = starting instanceof Promise ? await starting : starting;
    slot.starting -= 1;
    if ('failure' in started || !this.#isWanted(slot, hook)) {
      discardProcess(started, this.#processes, runId);
      return false;
    }
    const group = this.#processes.open(started.child, runId);
    const spare = new Spare(started.child, group, this.#processes, record);
    const timer = setTimeout(() => this.#renew(slot, spare, { hook, start, request }), MAX_SPARE_AGE_MS).unref();
    slot.waiting.push({ spare, timer });
    return true;
  }

  #renew(
    slot: SpareSlot,
    old: Spare,
    again: { hook: HookConfig; start: ProcessStarter; request: ProcessRequest },
  ): void {
    const at = slot.waiting.findIndex(({ spare }) => spare === old);
    if (at < 0) return;
    slot.waiting.splice(at, 1);
    slot.demoted ??= old.state().activity;
    old.end();
    slot.renewals += 1;
    if (slot.renewals <= MAX_SPARE_RENEWALS) this.#startSoon(slot, again.hook, again.start, again.request);
  }

  #empty(slot: SpareSlot): void {
    clearTimeout(slot.pause);
    for (const { spare, timer } of slot.waiting.splice(0)) {
      clearTimeout(timer);
      spare.end();
    }
  }
}

const SAMPLE_EVERY_MS = 100;
/** A process that computed for this long at its start counts as active. */
const MAX_START_CPU_NS = 5_000_000_000;

interface SpareState {
  readonly activity: string | undefined;
  readonly isGone: boolean;
}

/**
 * A spare process never keeps the host alive. If it does anything but wait for input, its hook gets no more spare
 * processes.
 */
class Spare {
  readonly child: Child;
  readonly group: ProcessGroup;
  readonly record: LaunchRecord;
  readonly startedAt = performance.now();
  readonly #processes: ProcessTable;
  readonly #streams: ReadonlySet<string>;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #last: ProcessSample | undefined;
  #atRest: ProcessSample | undefined;
  #activity: string | undefined;
  #isGone = false;

  constructor(child: Child, group: ProcessGroup, processes: ProcessTable, record: LaunchRecord) {
    this.child = child;
    this.group = group;
    this.record = record;
    this.#processes = processes;
    this.#streams = listStreams(group.pid);
    child.on('error', doNothing);
    child.stdin?.on('error', doNothing);
    child.once('exit', this.#onExit);
    child.stdout?.on('data', this.#onOutput).on('error', doNothing);
    child.stderr?.on('data', this.#onOutput).on('error', doNothing);
    setRef(child, false);
    this.#lookAgain();
  }

  state(): SpareState {
    const activity = this.#activity;
    const rest = activity === undefined && !this.#isGone ? this.#atRest : undefined;
    const now = rest === undefined ? undefined : sampleProcessTree(this.group.pid, this.#streams);
    if (rest !== undefined && now !== undefined) return { activity: describeActivity(rest, now), isGone: false };
    return { activity, isGone: this.#isGone || !isAlive(this.group.pid) };
  }

  /** The new owner must add its own listeners in the same event loop turn. */
  release(): void {
    clearTimeout(this.#looking);
    this.child.removeListener('exit', this.#onExit);
    this.child.stdout?.removeListener('data', this.#onOutput);
    this.child.stderr?.removeListener('data', this.#onOutput);
    setRef(this.child, true);
  }

  end(): void {
    clearTimeout(this.#looking);
    if (this.#isGone) return;
    this.#isGone = true;
    // The signal must come before the end of input, or the process would go on with files that may have changed.
    this.#processes.end(this.group);
    destroyPipes(this.child);
  }

  #lookAgain(): void {
    this.#looking = setTimeout(() => {
      const now = sampleProcessTree(this.group.pid, this.#streams);
      const last = this.#last;
      this.#last = now;
      if (now === undefined) return;
      if (last !== undefined && hasRestedSince(last, now)) this.#atRest = now;
      else if (now.cpuNs > MAX_START_CPU_NS) this.#activity ??= 'went on computing';
      else this.#lookAgain();
    }, SAMPLE_EVERY_MS).unref();
  }

  readonly #onOutput = (): void => {
    this.#activity ??= 'wrote something';
  };

  readonly #onExit = (exitCode: number | null): void => {
    this.group.noteExit();
    // No exit code means that another process sent a signal.
    if (exitCode !== null) this.#activity ??= `ended with exit code ${exitCode}`;
    this.end();
  };
}

/** Includes all child processes, because a shell often leaves the work to them. */
interface ProcessSample {
  readonly pids: readonly number[];
  readonly cpuNs: number;
  readonly sleeps: boolean;
  readonly writtenBytes: number;
  readonly sockets: number;
}

const standardDescriptors = ['0', '1', '2'];

const findSocketOf = (pid: number, fd: string): string | undefined => {
  const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
  return target?.startsWith('socket:') === true ? target : undefined;
};

/** Lists the sockets of the standard streams. A shell that redirects a stream keeps a copy at another descriptor. */
const listStreams = (pid: number): ReadonlySet<string> =>
  new Set(standardDescriptors.flatMap((fd) => findSocketOf(pid, fd) ?? []));

const listSockets = (pid: number, streams: ReadonlySet<string>): number =>
  readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => !standardDescriptors.includes(fd))
    .flatMap((fd) => findSocketOf(pid, fd) ?? [])
    .filter((socket) => !streams.has(socket)).length;

const listChildren = (pid: number): number[] => {
  const children = attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')) ?? '';
  return children
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
};

const isDead = (state: string): boolean => state === 'Z' || state === 'X';

const sampleProcess = (pid: number, streams: ReadonlySet<string>): ProcessSample | undefined =>
  attempt(() => {
    const state = readProcessStat(pid)?.state;
    if (state === undefined || isDead(state)) return undefined;
    const [cpu] = readProcFile(`/proc/${pid}/schedstat`).split(' ');
    const written = /^wchar: (\d+)$/m.exec(readProcFile(`/proc/${pid}/io`))?.[1];
    return {
      pids: [pid],
      cpuNs: Number(cpu),
      sleeps: state === 'S',
      writtenBytes: Number(written),
      sockets: listSockets(pid, streams),
    };
  });

const sampleProcessTree = (pid: number, streams: ReadonlySet<string>): ProcessSample | undefined => {
  let look = sampleProcess(pid, streams);
  if (look === undefined) return undefined;
  for (const child of listChildren(pid)) {
    const below = sampleProcessTree(child, streams);
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

const isAlive = (pid: number): boolean => {
  if (process.platform !== 'linux') return true;
  const state = readProcessStat(pid)?.state;
  return state !== undefined && !isDead(state);
};

const MAX_RESTING_CPU_NS = 1_000_000;

const hasRestedSince = (last: ProcessSample, now: ProcessSample): boolean =>
  last.sleeps &&
  now.sleeps &&
  now.cpuNs - last.cpuNs < MAX_RESTING_CPU_NS &&
  now.writtenBytes === last.writtenBytes &&
  now.pids.join() === last.pids.join();

/** Interpreters wake up now and then, so CPU time and output below these limits are ignored. */
const IDLE_CPU_NS = 30_000_000;
const IDLE_WRITTEN_BYTES = 256;

const describeActivity = (first: ProcessSample, then: ProcessSample): string | undefined => {
  if (then.sockets > 0) return 'opened a socket';
  if (then.cpuNs - first.cpuNs > IDLE_CPU_NS) return 'went on computing';
  if (then.writtenBytes - first.writtenBytes > IDLE_WRITTEN_BYTES) return 'went on writing';
  return undefined;
};

type Launch = Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env'>;

const isSameEnvironment = (a: Launch['env'], b: Launch['env']): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name === RUN_MARKER || a[name] === b[name]);
};

/** Tells whether a spare process was started as its hook would be now, and from unchanged files. */
class LaunchRecord {
  readonly #launch: Launch;
  readonly #watch: readonly string[];
  readonly #files: readonly string[];
  readonly #stamps: readonly string[];

  constructor(launch: Launch, watch: readonly string[] = []) {
    this.#launch = launch;
    this.#watch = [...watch];
    this.#files = listNamedFiles(launch, watch);
    this.#stamps = this.#files.map(readFileVersion);
  }

  holdsFor(launch: Launch, watch: readonly string[] = []): boolean {
    const { file, args, cwd, env } = this.#launch;
    return (
      launch.file === file &&
      launch.cwd === cwd &&
      isSameList(launch.args, args) &&
      isSameList(watch, this.#watch) &&
      isSameEnvironment(launch.env, env) &&
      isSameList(this.#files.map(readFileVersion), this.#stamps)
    );
  }
}
