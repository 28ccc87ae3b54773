import { setTimeout as delay } from 'node:timers/promises';
import { endMarkedNow, processesOfRun } from '../../runners/commands.ts';

/** What is to become of processes of an earlier run: nothing is run beside them unless they are ended or waited for. */
export type StillRunning = 'refuse' | 'end' | 'wait';

const LOOK_AGAIN_MS = 200;

export interface StillRunningOptions {
  readonly wish: StillRunning;
  readonly signal: AbortSignal | undefined;
}

/** Why a task may not be run again, because something of its earlier run is alive; nothing where it may. */
export const whyNotAgain = async (
  key: string,
  runId: string | undefined,
  { wish, signal }: StillRunningOptions,
): Promise<string | undefined> => {
  if (runId === undefined) return undefined;
  const find = (): Promise<readonly number[]> => processesOfRun(runId);
  let alive = await find();
  if (alive.length === 0) return undefined;
  const who = (): string => `${alive.length === 1 ? 'process' : 'processes'} ${alive.join(', ')}`;
  if (wish === 'refuse') {
    return `${key} was interrupted, and ${who()} of it still runs; end it or wait for it (--still-running end, --still-running wait)`;
  }
  if (wish === 'end') endMarkedNow(new Set([runId]));
  for (alive = await find(); alive.length > 0; alive = await find()) {
    if (signal?.aborted) return `${key} still has ${who()} of its earlier run`;
    await delay(LOOK_AGAIN_MS);
  }
  return undefined;
};
