// The planner of a turn: the host's function that calls the model.
import type { HookSignal } from '../../protocol/index.ts';
import type { ActionAnswer } from './answers.ts';

/** First argument of a planner: the hooks let the turn start, and gave these signals. */
export interface StartControl {
  readonly type: 'control';
  readonly turn_ready: true;
  readonly source_event: string;
  readonly hook_signals: readonly HookSignal[];
}

export interface TurnContext {
  readonly user_raw_input: string;
  readonly hook_signals: readonly HookSignal[];
}

export interface PlannerTools {
  readonly act: (action: unknown) => Promise<ActionAnswer>;
  /** Aborts when the session, the runtime or the turn ends. */
  readonly signal: AbortSignal;
}

/**
 * The host's function that calls the model. It returns the actions that the model requests, or calls `act` itself and
 * returns any other value.
 */
export type Planner<Plan> = (control: StartControl, context: TurnContext, tools: PlannerTools) => Plan | Promise<Plan>;
