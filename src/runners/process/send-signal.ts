/** Signals for all that a hook started: its process group on POSIX, the tree of its processes on Windows. */
import { spawn } from 'node:child_process';
import { codeOf, processStat } from '../../kit/node.ts';
import { windowsFile } from '../shells.ts';
import { type Child, leadsGroup } from './start-process.ts';

/** A signal that ends a process or lets it go on; 0 only asks whether it is there. */
export type EndingSignal = 'SIGTERM' | 'SIGKILL' | 'SIGCONT' | 0;

/** A child of ours. `hasExited` as soon as its exit was seen, from when on its id may be that of another process. */
export interface SignalTarget {
  readonly child: Child;
  readonly pid: number;
  readonly hasExited: boolean;
}

/** What is known after a signal: it may have arrived, nothing is left, or what is left is out of our hands. */
type Reach = 'sent' | 'gone' | 'out-of-reach';

/** POSIX: the child leads a group of its own. */
const sendToGroup = ({ child: { starter }, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  // Its id cannot be that of another process: its starter has not seen the child end. We may be yet to hear of that.
  const isHeld = hasExited || starter === undefined || processStat(pid)?.parent === String(starter);
  if (!isHeld) return 'sent';
  try {
    process.kill(-pid, signal);
    return 'sent';
  } catch (error) {
    if (!hasExited) return 'sent';
    // EPERM: what is left belongs to another user.
    return codeOf(error) === 'ESRCH' ? 'gone' : 'out-of-reach';
  }
};

/** Windows: the tree hangs by the child, and without it cannot be found. There is one way to end, and none to ask. */
const sendToTree = ({ child, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  if (hasExited) return 'out-of-reach';
  if (signal === 0) return 'sent';
  const { file, args } = killTreeCommand(pid, process.env);
  spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => child.kill())
    .unref();
  return 'sent';
};

export const sendSignal = leadsGroup ? sendToGroup : sendToTree;

/** @internal Its path is absolute: a `taskkill.exe` in the working directory must not be the one that runs. */
export const killTreeCommand = (pid: number, environment: Readonly<Record<string, string | undefined>>) => {
  const root = environment.SystemRoot ?? environment.SYSTEMROOT;
  return {
    file: windowsFile(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
