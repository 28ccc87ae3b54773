import { readFileSync } from 'node:fs';

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
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, started] = [fields[STATE], fields[PARENT], fields[GROUP], fields[STARTED]];
    if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
    return { state, parent, group, started };
  } catch {
    return undefined;
  }
};
