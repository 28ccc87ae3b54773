// Checks for processes of an interrupted task's earlier run.
import { setTimeout as delay } from 'node:timers/promises';
import { endProcessesOfRun, type OfRun, processesOfRun } from '../../runners/process-api.ts';

/** What to do about processes of the earlier run. */
export type StillRunning = 'refuse' | 'end' | 'wait';

const LOOK_AGAIN_MS = 200;

export interface StillRunningOptions {
  readonly wish: StillRunning;
  readonly signal: AbortSignal | undefined;
  /** Called if it is unknown whether a process is alive. */
  readonly warn: (message: string) => void;
  /** Finds the processes of a run; replaced in tests. */
  readonly find?: ((runId: string) => Promise<OfRun>) | undefined;
}

/**
 * Why a task cannot run again: a process of its earlier run is alive. `undefined` if it can. If processes cannot be
 * listed, it runs with a warning, because the user said that the task was interrupted.
 */
export const whyNotRunAgain = async (
  key: string,
  runId: string | undefined,
  { wish, signal, warn, find = processesOfRun }: StillRunningOptions,
): Promise<string | undefined> => {
  if (runId === undefined) return undefined;
  let found = await find(runId);
  if ('unknown' in found) {
    if (wish !== 'refuse') return `processes of the earlier run of ${key} cannot be found: ${found.unknown}`;
    warn(`${key} runs again, without a check whether its earlier run has ended: ${found.unknown}`);
    return undefined;
  }
  const who = (pids: readonly number[]): string => `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
  if (found.pids.length > 0 && wish === 'refuse') {
    return `${key} was interrupted, and processes that it started still run: ${who(found.pids)}; end it or wait for it (--still-running end, --still-running wait)`;
  }
  if (found.pids.length > 0 && wish === 'end') endProcessesOfRun(runId, found.pids);
  for (found = await find(runId); 'pids' in found && found.pids.length > 0; found = await find(runId)) {
    if (signal?.aborted) return `${key} still has ${who(found.pids)} of its earlier run`;
    await delay(LOOK_AGAIN_MS);
  }
  return undefined;
};
