import type { PromptSubmitContext } from '../../events/index.ts';
import { describeValue } from '../../kit/index.ts';
import type { AbilityEventResult, HookSignal } from '../../protocol/index.ts';
import { type AbilityHookSet, type RunHooksOptions, runHooks } from '../hook-set.ts';
import { readAction } from './actions.ts';
import type { ActionAnswer } from './answers.ts';
import type { Planner, PlannerTools, StartControl, TurnContext } from './planner.ts';

const EVENT = 'PromptSubmit';

/** A turn that was planned, or one that failed before it began. */
export type TurnResult<Plan> =
  | {
      readonly ready: true;
      readonly control: StartControl;
      readonly context: TurnContext;
      /** What the planner returned. */
      readonly plan: Plan;
      /** What became of the actions it returned, in order. */
      readonly answers?: readonly ActionAnswer[];
      /** What is wrong with what it returned, if anything is. */
      readonly problem?: string;
    }
  | {
      readonly ready: false;
      readonly error: { readonly code: string; readonly message: string; readonly hook_id?: string };
      readonly hook_signals: readonly HookSignal[];
    };

const ask = async (
  hooks: AbilityHookSet | undefined,
  context: PromptSubmitContext,
  options: RunHooksOptions,
): Promise<Pick<AbilityEventResult, 'success' | 'error' | 'hook_signals'>> =>
  hooks === undefined ? { success: true, hook_signals: [] } : runHooks(hooks, EVENT, context, options);

/**
 * From what the user wrote to what the planner made of it. The planner is not called when a hook that must not fail did:
 * what it would have said may be what the turn depends on.
 */
export const runTurn = async <Plan>(
  hooks: AbilityHookSet | undefined,
  planner: Planner<Plan>,
  submitted: PromptSubmitContext,
  tools: PlannerTools,
  until: AbortSignal,
): Promise<TurnResult<Plan>> => {
  const { success, error, hook_signals } = await ask(hooks, submitted, { signal: tools.signal, until });
  if (!success) {
    const failure = error ?? { code: 'internal_error', message: 'the event failed without a reason' };
    return { ready: false, error: failure, hook_signals };
  }
  const context: TurnContext = { user_raw_input: submitted.user_raw_input, hook_signals };
  const control: StartControl = { type: 'control', turn_ready: true, source_event: EVENT, hook_signals };
  let drivesItself = false;
  const act = (action: unknown): Promise<ActionAnswer> => {
    drivesItself = true;
    return tools.act(action);
  };
  const plan = await planner(control, context, { ...tools, act });
  const turn = { ready: true, control, context, plan } as const;
  if (!drivesItself) return { ...turn, ...(await carryOut(plan, tools)) };
  return hasActions(plan) ? { ...turn, problem: BOTH } : turn;
};

const BOTH =
  'the planner called act and also returned a list of actions; the list was ignored, since it may have been done already';

/** A planner that drives itself may return what it likes; actions it may have meant to be carried out are no silent matter. */
const hasActions = (plan: unknown): boolean =>
  Array.isArray(plan) && plan.some((item: unknown) => readAction(item).type !== 'INVALID');

interface CarriedOut {
  readonly answers?: readonly ActionAnswer[];
  readonly problem?: string;
}

/** Does what a planner returned, one after the other, as if it had asked for each; nothing for one that wants nothing. */
const carryOut = async (plan: unknown, { act, signal }: PlannerTools): Promise<CarriedOut> => {
  if (plan === undefined || plan === null) return {};
  if (!Array.isArray(plan)) {
    const problem = `the planner returned ${describeValue(plan)}: expected a list of actions, or nothing if it calls act`;
    return { problem };
  }
  const answers: ActionAnswer[] = [];
  for (const action of plan) {
    if (signal.aborted) return { answers, problem: `cancelled after ${answers.length} of ${plan.length} actions` };
    answers.push(await act(action));
  }
  return { answers };
};
