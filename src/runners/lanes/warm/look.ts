import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What can be seen of a process that should be waiting. */
export interface Look {
  readonly cpuNs: number;
  /** It waits for something, and does not merely wait for a processor. */
  readonly sleeps: boolean;
  readonly writtenBytes: number;
  /** Sockets beside those that are its standard streams. */
  readonly sockets: number;
}

const STANDARD_STREAMS = 3;

const isSocket = (path: string): boolean => {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    return false;
  }
};

/** The letter for what it does at the moment; it stands after the name, which may hold any character. */
const stateOf = (pid: number): string => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return line.charAt(line.lastIndexOf(')') + 2);
  } catch {
    return '';
  }
};

/** Nothing where there is no /proc, or no such process. */
export const lookAt = (pid: number): Look | undefined => {
  try {
    const [cpu] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    const written = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1];
    const others = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) >= STANDARD_STREAMS);
    const sockets = others.filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length;
    return { cpuNs: Number(cpu), sleeps: stateOf(pid) === 'S', writtenBytes: Number(written), sockets };
  } catch {
    return undefined;
  }
};

/** Whether a process is there and not merely waiting to be reaped; where there is no /proc its exit will tell. */
export const isAlive = (pid: number): boolean => {
  if (process.platform !== 'linux') return true;
  return !['Z', 'X', ''].includes(stateOf(pid));
};

/** Interpreters wake up now and then: a little of both means nothing. */
const IDLE_CPU_NS = 30_000_000;
const IDLE_WRITTEN_BYTES = 256;

/** What a process did between two looks that one does not do who waits. */
export const deedBetween = (first: Look, then: Look): string | undefined => {
  if (then.sockets > 0) return 'opened a socket';
  if (then.cpuNs - first.cpuNs > IDLE_CPU_NS) return 'went on computing';
  if (then.writtenBytes - first.writtenBytes > IDLE_WRITTEN_BYTES) return 'went on writing';
  return undefined;
};
