// Reads the state of a Linux process from /proc.
import { closeSync, openSync, readSync } from 'node:fs';

const statBuffer = Buffer.allocUnsafe(4_096);

/** `readFileSync` requests the file size first, which /proc does not report. That takes twice as long. */
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

/** Field positions after the process name. The name is in parentheses and may itself contain spaces and parentheses. */
const STATE_INDEX = 0;
const PARENT_INDEX = 1;
const GROUP_INDEX = 2;
const STARTED = 19;

export const processStat = (pid: number): ProcessStat | undefined => {
  try {
    const line = readProcFile(`/proc/${pid}/stat`);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, started] = [
      fields[STATE_INDEX],
      fields[PARENT_INDEX],
      fields[GROUP_INDEX],
      fields[STARTED],
    ];
    if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
    return { state, parent, group, started };
  } catch {
    return undefined;
  }
};
