// The planner of a turn: the host's function that calls the model.
import type { HookSignal } from '../../protocol/index.ts';
import type { ActionAnswer } from './answers.ts';

/** The turn may start; carries the signals of the hooks. */
export interface StartControl {
  readonly type: 'control';
  readonly turn_ready: true;
  readonly source_event: string;
  readonly hook_signals: readonly HookSignal[];
}

/** The input of a turn. */
export interface TurnContext {
  readonly user_raw_input: string;
  readonly hook_signals: readonly HookSignal[];
}

export interface PlannerTools {
  /** Carries out one action of the AI and returns the answer for it. Never rejects. */
  readonly act: (action: unknown) => Promise<ActionAnswer>;
  /** Aborts when the session or the runtime ends, or with the turn's own signal. */
  readonly signal: AbortSignal;
}

/**
 * The host's function that calls the model. It returns the list of actions that the model requests, which the runtime
 * carries out in order; or it calls `act` itself and returns any other value.
 */
export type Planner<Plan> = (control: StartControl, context: TurnContext, tools: PlannerTools) => Plan | Promise<Plan>;
