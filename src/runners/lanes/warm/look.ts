import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processStat, readProc } from '../../../kit/node.ts';

/** What can be seen of a process that should be waiting, and of those that it started: a shell often has others do its work. */
export interface ProcessLook {
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
export const streamsOf = (pid: number): ReadonlySet<string> =>
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
export const lookAt = (pid: number, streams: ReadonlySet<string>): ProcessLook | undefined => {
  let look = lookAtOne(pid, streams);
  if (look === undefined) return undefined;
  for (const child of childrenOf(pid)) {
    const below = lookAt(child, streams);
    // It ended in the meantime; what it wrote counts for whoever waited for it.
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
export const isAlive = (pid: number): boolean => {
  if (process.platform !== 'linux') return true;
  const state = processStat(pid)?.state;
  return state !== undefined && !isDead(state);
};

/** One that took no more than this since the last look rests. How long that takes depends on what else the machine does. */
const RESTS_BELOW_NS = 1_000_000;

/** Whether nothing happened between two looks. */
export const restsSince = (last: ProcessLook, now: ProcessLook): boolean =>
  last.sleeps &&
  now.sleeps &&
  now.cpuNs - last.cpuNs < RESTS_BELOW_NS &&
  now.writtenBytes === last.writtenBytes &&
  now.pids.join() === last.pids.join();

/** Interpreters wake up now and then: a little of both means nothing. */
const IDLE_CPU_NS = 30_000_000;
const IDLE_WRITTEN_BYTES = 256;

/** What a process did between two looks that one does not do who waits. */
export const changeBetween = (first: ProcessLook, then: ProcessLook): string | undefined => {
  if (then.sockets > 0) return 'opened a socket';
  if (then.cpuNs - first.cpuNs > IDLE_CPU_NS) return 'went on computing';
  if (then.writtenBytes - first.writtenBytes > IDLE_WRITTEN_BYTES) return 'went on writing';
  return undefined;
};
