// Finds, ends or awaits processes that still run from an interrupted task's earlier run.
import { setTimeout as delay } from 'node:timers/promises';
import { endProcessesOfRun, findProcessesOfRun, type RunProcesses } from '../../runners/process-api.ts';

export type StillRunningPolicy = 'refuse' | 'end' | 'wait';

const PROCESS_CHECK_INTERVAL_MS = 200;

export interface StillRunningOptions {
  readonly policy: StillRunningPolicy;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
  readonly find?: ((runId: string) => Promise<RunProcesses>) | undefined;
}

/** If processes cannot be listed, the task runs with a warning, because the user said that it was interrupted. */
export const explainWhyNotRunAgain = async (
  key: string,
  runId: string | undefined,
  { policy, signal, warn, find = findProcessesOfRun }: StillRunningOptions,
): Promise<string | undefined> => {
  if (runId === undefined) return undefined;
  let found = await find(runId);
  if ('unknown' in found) {
    if (policy !== 'refuse') return `processes of the earlier run of ${key} cannot be found: ${found.unknown}`;
    warn(`${key} runs again, without a check whether its earlier run has ended: ${found.unknown}`);
    return undefined;
  }
  const who = (pids: readonly number[]): string => `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
  if (found.pids.length > 0 && policy === 'refuse') {
    return `${key} was interrupted, and processes that it started still run: ${who(found.pids)}; end it or wait for it (--still-running end, --still-running wait)`;
  }
  if (found.pids.length > 0 && policy === 'end') endProcessesOfRun(runId, found.pids);
  for (found = await find(runId); 'pids' in found && found.pids.length > 0; found = await find(runId)) {
    if (signal?.aborted) return `${key} still has ${who(found.pids)} of its earlier run`;
    await delay(PROCESS_CHECK_INTERVAL_MS);
  }
  return undefined;
};
