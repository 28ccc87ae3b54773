import { describeThrown } from '../../kit/index.ts';
import { AbilityCode } from '../../protocol/index.ts';
import { newRunId } from '../../runners/commands.ts';
import type { Execution } from './execute/answer.ts';
import type { Calling, RunnerParts } from './parts.ts';
import { notExecuted, type RunAbilityResult } from './results.ts';
import { type AroundRun, runAbility } from './run-ability.ts';
import { type StillRunning, whyNotAgain } from './still-running.ts';
import type { TaskClaim } from './store/task-claim.ts';
import type { StoredTask } from './store/task-record.ts';

const now = ({ clock }: RunnerParts): string => new Date(clock.now()).toISOString();

/** What is larger would make the task's file too large to be read; the caller has it, and the file a summary. */
const MAX_STORED_BYTES = 1_048_576;

const storable = ({ output, ...rest }: Omit<Execution, 'status'>): Partial<StoredTask> =>
  output === undefined || Buffer.byteLength(JSON.stringify(output)) > MAX_STORED_BYTES ? rest : { output, ...rest };

/** Writes what the task goes through. A task that cannot be marked as begun is not begun. */
const keepRecord = (parts: RunnerParts, claim: TaskClaim, run_id: string): AroundRun => ({
  begin: () => claim.update({ state: 'running', started_at: now(parts), attempts: claim.task.attempts + 1, run_id }),
  end: async ({ status, ...execution }: Execution, durationMs) => {
    try {
      await claim.update({ state: status, ended_at: now(parts), duration_ms: durationMs, ...storable(execution) });
      return [];
    } catch (error) {
      const message = `the outcome of ${claim.task.task_key} could not be written: ${describeThrown(error)}`;
      parts.logger?.error?.(message);
      return [message];
    }
  },
});

const release = async ({ logger }: RunnerParts, claim: TaskClaim): Promise<void> => {
  try {
    await claim.release();
  } catch (error) {
    logger?.error?.(`${claim.task.task_key} could not be given back: ${describeThrown(error)}`);
  }
};

const runClaimed = async (parts: RunnerParts, claim: TaskClaim, calling: Calling): Promise<RunAbilityResult> => {
  const { task_key, ability_id, input } = claim.task;
  const found = parts.abilities.find({ kind: 'ability_id', value: ability_id });
  if (!found.ok) {
    return notExecuted({ ability_id, task_key }, { code: AbilityCode.Unavailable, message: found.reason });
  }
  const runId = newRunId();
  return runAbility(
    parts,
    { ability: found.ability, input, task_key, runId },
    calling,
    keepRecord(parts, claim, runId),
  );
};

/** Runs a task that nobody else runs. One that a guard holds back stays as it is and can be run later. */
export const runTask = async (
  parts: RunnerParts,
  key: string,
  calling: Calling,
  { interrupted, stillRunning }: { readonly interrupted: boolean; readonly stillRunning: StillRunning },
): Promise<RunAbilityResult> => {
  const claimed = await parts.tasks.claim(key, { interrupted });
  if (!claimed.ok) return notExecuted({ task_key: key }, claimed.refusal);
  try {
    const { run_id } = claimed.claim.task;
    const warn = (message: string): void => parts.logger?.warn?.(message);
    const why = await whyNotAgain(key, run_id, { wish: stillRunning, signal: calling.signal, warn });
    if (why !== undefined) return notExecuted({ task_key: key }, { code: 'task-running', message: why });
    return await runClaimed(parts, claimed.claim, calling);
  } finally {
    await release(parts, claimed.claim);
  }
};
