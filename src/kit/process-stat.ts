/** Reads the state of a process from /proc. */
import { closeSync, openSync, readSync } from 'node:fs';

const room = Buffer.allocUnsafe(4_096);

/** The text of a small file of /proc. Node's own way asks for the size first, which such files do not tell, and takes twice as long. */
export const readProc = (path: string): string => {
  const fd = openSync(path, 'r');
  try {
    return room.toString('latin1', 0, readSync(fd, room, 0, room.length, 0));
  } finally {
    closeSync(fd);
  }
};

/** What Linux says of a process; the fields are strings, as they stand there. */
export interface ProcessStat {
  readonly state: string;
  readonly parent: string;
  readonly group: string;
  /** When it started, in ticks since the machine did. */
  readonly started: string;
}

/** Counted after the name, which stands in brackets and may hold blanks and brackets itself. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const STARTED = 19;

/** Reads `/proc/<pid>/stat`; nothing when the process is gone or the system has no such files. */
export const processStat = (pid: number): ProcessStat | undefined => {
  try {
    const line = readProc(`/proc/${pid}/stat`);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, started] = [fields[STATE], fields[PARENT], fields[GROUP], fields[STARTED]];
    if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
    return { state, parent, group, started };
  } catch {
    return undefined;
  }
};
