import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { once } from '../../../kit/index.ts';
import { codeOf, type ProcessStat, processStat } from '../../../kit/node.ts';

/** Who holds a task: a process, told apart from others that had its number before or will have it later. */
export const ownerSchema = once(() =>
  z.object({
    pid: z.int().check(z.positive()),
    host: z.string(),
    /** When it started, as the system counts; only where that can be asked. */
    started: z.optional(z.string()),
  }),
);

export type StoreOwner = z.infer<ReturnType<typeof ownerSchema>>;

const DEAD_STATES: ReadonlySet<string> = new Set(['Z', 'X', 'x']);
const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process is gone, or the system has no such files: both mean that nothing is known.
    return undefined;
  }
};

/** Numbers of processes start anew with every boot, and so does the clock their start is counted by. */
const startOf = (stat: ProcessStat | undefined): string | undefined => {
  const time = stat?.started;
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim();
  return time === undefined || boot === undefined ? undefined : `${boot}/${time}`;
};

export const thisProcess = once((): StoreOwner => {
  const started = process.platform === 'linux' ? startOf(processStat(process.pid)) : undefined;
  return { pid: process.pid, host: hostname(), ...(started === undefined ? {} : { started }) };
});

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
};

export const isProcessGone = (pid: number): boolean => !exists(pid);

/**
 * Whether an owner is gone for good. Where that cannot be told (another machine, a system that does not say when a
 * process started) the answer is no: to wait for a process that is gone is better than to run a task twice.
 */
export const isGone = (owner: StoreOwner): boolean => {
  if (owner.host !== hostname()) return false;
  if (!exists(owner.pid)) return true;
  if (owner.started === undefined) return false;
  const stat = processStat(owner.pid);
  if (stat === undefined) return !exists(owner.pid);
  return DEAD_STATES.has(stat.state) || startOf(stat) !== owner.started;
};
