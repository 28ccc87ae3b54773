// The answers that an AI gets to its actions.
import type { HookSignal } from '../../protocol/index.ts';
import type { AbilityListing } from '../tools/ability.ts';
import type { CreateTaskResult, Executed, NotExecuted, PreflightResult, RunAbilityResult } from '../tools/results.ts';

interface SignalMembers {
  readonly hook_signals: readonly HookSignal[];
}

type RunSummary = Pick<
  Executed,
  'status' | 'ability_id' | 'task_key' | 'duration_ms' | 'output' | 'output_summary' | 'error_message'
>;

/** Outcomes and signals for the AI, but nothing about the hooks behind them. */
export type ActionAnswer =
  | { readonly type: 'ABILITIES'; readonly abilities: readonly AbilityListing[] }
  | (SignalMembers & {
      readonly type: 'TASK_CREATED';
      readonly task_key: string;
      readonly ability_id: string;
      readonly preflight: PreflightResult;
    })
  | (SignalMembers & { readonly type: 'TASK_REFUSED'; readonly preflight: PreflightResult })
  | (SignalMembers & { readonly type: 'TASK_RESULT' } & RunSummary)
  | (SignalMembers & { readonly type: 'TASK_NOT_RUN' } & Pick<
        NotExecuted,
        'code' | 'reason' | 'task_key' | 'ability_id'
      >)
  | { readonly type: 'INVALID_ACTION' | 'ACTION_FAILED'; readonly message: string };

const CHECK_FAILED_TEXT = 'a required check could not be made; a person has to look at it';

/** Texts instead of the real reasons: an AI that learns about processes and files might try to repair them. */
const reasonsForAi: Readonly<Partial<Record<NotExecuted['code'], string>>> = {
  'unknown-task': 'there is no such task',
  'unreadable-task': 'the task cannot be read; a person has to look at it',
  'task-running': 'the task is already running; wait for it',
  'task-interrupted': 'the task was interrupted, and it is unknown how far it got; a person has to decide',
};

export const toCreateTaskAnswer = (result: CreateTaskResult): ActionAnswer => {
  const { preflight, hook_signals, hook_error } = result;
  if (!result.created) {
    const shown = hook_error === undefined ? preflight : { ...preflight, reason: CHECK_FAILED_TEXT };
    return { type: 'TASK_REFUSED', preflight: shown, hook_signals };
  }
  const { task_key, ability_id } = result;
  return { type: 'TASK_CREATED', task_key, ability_id, preflight, hook_signals };
};

export const toRunTaskAnswer = (result: RunAbilityResult): ActionAnswer => {
  if (!result.executed) {
    const { executed: _executed, hooks: _hooks, hook_error, hook_signals, ...rest } = result;
    const reason = hook_error === undefined ? (reasonsForAi[rest.code] ?? rest.reason) : CHECK_FAILED_TEXT;
    return { type: 'TASK_NOT_RUN', ...rest, reason, hook_signals };
  }
  const { executed: _, hooks: _hooks, hook_error: _error, warnings: _warnings, hook_signals, ...rest } = result;
  return { type: 'TASK_RESULT', ...rest, hook_signals };
};
