// Finds out whether a process exists, and reads the state of a Linux process from /proc.
import { closeSync, openSync, readSync } from 'node:fs';
import { attempt, readErrorCode } from './values.ts';

export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return readErrorCode(error) === 'EPERM';
  }
};

const statBuffer = Buffer.allocUnsafe(4_096);

/** `readFileSync` takes twice as long: it requests the file size first, which /proc does not report. */
export const readProcFile = (path: string): string => {
  const fd = openSync(path, 'r');
  try {
    return statBuffer.toString('latin1', 0, readSync(fd, statBuffer, 0, statBuffer.length, 0));
  } finally {
    closeSync(fd);
  }
};

export interface ProcessStat {
  readonly state: string;
  readonly parent: string;
  readonly group: string;
  /** Start time in clock ticks since boot. */
  readonly started: string;
}

export const readProcessStat = (pid: number): ProcessStat | undefined => {
  const line = attempt(() => readProcFile(`/proc/${pid}/stat`)) ?? '';
  // The fields follow the process name, which is in parentheses and may contain spaces and parentheses.
  const { 0: state, 1: parent, 2: group, 19: started } = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
  return { state, parent, group, started };
};
