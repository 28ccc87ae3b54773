// Reads the state of a process from /proc.
import { closeSync, openSync, readSync } from 'node:fs';

const room = Buffer.allocUnsafe(4_096);

/**
 * Reads a small file of /proc. `readFileSync` asks for the size first, which such files do not report, and takes twice
 * as long.
 */
export const readProcFile = (path: string): string => {
  const fd = openSync(path, 'r');
  try {
    return room.toString('latin1', 0, readSync(fd, room, 0, room.length, 0));
  } finally {
    closeSync(fd);
  }
};

/** State of a process on Linux; the fields are strings, as in the file. */
export interface ProcessStat {
  readonly state: string;
  readonly parent: string;
  readonly group: string;
  /** Start time in clock ticks since boot. */
  readonly started: string;
}

/** Fields after the name, which is in brackets and may contain spaces and brackets. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const STARTED = 19;

/** Reads `/proc/<pid>/stat`; `undefined` if the process is gone or the system has no such file. */
export const processStat = (pid: number): ProcessStat | undefined => {
  try {
    const line = readProcFile(`/proc/${pid}/stat`);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, started] = [fields[STATE], fields[PARENT], fields[GROUP], fields[STARTED]];
    if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
    return { state, parent, group, started };
  } catch {
    return undefined;
  }
};
