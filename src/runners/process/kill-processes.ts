// Sends signals to a child process and its descendants: by process group on POSIX, with taskkill on Windows.
import { spawn } from 'node:child_process';
import { readErrorCode, readProcessStat } from '../../kit/node.ts';
import { createWindowsFilePath } from '../shells.ts';
import { type Child, STARTS_GROUP } from './start-process.ts';

export type EndingSignal = 'SIGTERM' | 'SIGKILL' | 'SIGCONT' | 0;

/** Once `hasExited` is true, the process id may belong to another process. */
interface SignalTarget {
  readonly child: Child;
  readonly pid: number;
  readonly hasExited: boolean;
}

/** `gone`: no process is left. `out-of-reach`: this user may not signal the processes that are left. */
type SignalOutcome = 'sent' | 'gone' | 'out-of-reach';

/** On Windows every signal except 0 kills. */
export const sendSignal = (target: SignalTarget, signal: EndingSignal): SignalOutcome =>
  STARTS_GROUP ? sendToGroup(target, signal) : sendToTree(target, signal);

const sendToGroup = ({ child: { starter }, pid, hasExited }: SignalTarget, signal: EndingSignal): SignalOutcome => {
  // The starter reports an exit late, and the id may belong to another process by then. While the starter is still the
  // parent, the id is safe to signal.
  const isHeld = hasExited || starter === undefined || readProcessStat(pid)?.parent === String(starter);
  if (!isHeld) return 'sent';
  try {
    process.kill(-pid, signal);
    return 'sent';
  } catch (error) {
    if (!hasExited) return 'sent';
    // EPERM: the remaining processes belong to another user.
    return readErrorCode(error) === 'ESRCH' ? 'gone' : 'out-of-reach';
  }
};

/** taskkill finds descendants only through the running child, so nothing can be done after its exit. */
const sendToTree = ({ child, pid, hasExited }: SignalTarget, signal: EndingSignal): SignalOutcome => {
  if (hasExited) return 'out-of-reach';
  if (signal === 0) return 'sent';
  const { file, args } = createKillTreeCommand(pid, process.env);
  spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => child.kill())
    .unref();
  return 'sent';
};

/** The full path prevents a `taskkill.exe` in the working directory from being run. */
export const createKillTreeCommand = (pid: number, environment: Readonly<Record<string, string | undefined>>) => {
  const root = environment.SystemRoot ?? environment.SYSTEMROOT;
  return {
    file: createWindowsFilePath(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
