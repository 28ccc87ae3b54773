// Kills or signals a child with its descendants: its process group on POSIX, its tree with taskkill on Windows.
import { spawn } from 'node:child_process';
import { codeOf, processStat } from '../../kit/node.ts';
import { windowsFile } from '../shells.ts';
import { type Child, leadsGroup } from './start-process.ts';

/** 0 only probes. */
export type EndingSignal = 'SIGTERM' | 'SIGKILL' | 'SIGCONT' | 0;

/** A child of ours. Once `hasExited` is true, its id may belong to another process. */
interface SignalTarget {
  readonly child: Child;
  readonly pid: number;
  readonly hasExited: boolean;
}

/** After a signal: it was sent, no process is left, or those left cannot be signalled by us. */
type Reach = 'sent' | 'gone' | 'out-of-reach';

/** Signals a child and its descendants. On Windows every signal but 0 kills them. */
export const sendSignal = (target: SignalTarget, signal: EndingSignal): Reach =>
  leadsGroup ? sendToGroup(target, signal) : sendToTree(target, signal);

/** POSIX: the child leads a process group. */
const sendToGroup = ({ child: { starter }, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  // The helper reports an exit with a delay: the id is the child's only while the helper is its parent.
  const isHeld = hasExited || starter === undefined || processStat(pid)?.parent === String(starter);
  if (!isHeld) return 'sent';
  try {
    process.kill(-pid, signal);
    return 'sent';
  } catch (error) {
    if (!hasExited) return 'sent';
    // EPERM: the remaining processes belong to another user.
    return codeOf(error) === 'ESRCH' ? 'gone' : 'out-of-reach';
  }
};

/** Windows finds the tree only through its root, the child. It cannot be probed, only ended. */
const sendToTree = ({ child, pid, hasExited }: SignalTarget, signal: EndingSignal): Reach => {
  if (hasExited) return 'out-of-reach';
  if (signal === 0) return 'sent';
  const { file, args } = killTreeCommand(pid, process.env);
  spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => child.kill())
    .unref();
  return 'sent';
};

/** @internal Its path is absolute: a `taskkill.exe` in the working directory must not be the one that runs. */
export const killTreeCommand = (pid: number, environment: Readonly<Record<string, string | undefined>>) => {
  const root = environment.SystemRoot ?? environment.SYSTEMROOT;
  return {
    file: windowsFile(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
