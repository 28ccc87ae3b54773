import type { HookSignal } from '../../protocol/index.ts';
import type { ActionAnswer } from './answers.ts';

/** Says that a turn may start, and what hooks want to be known before it does. */
export interface StartControl {
  readonly type: 'control';
  readonly turn_ready: true;
  readonly source_event: string;
  readonly hook_signals: readonly HookSignal[];
}

/** What a turn is about. */
export interface TurnContext {
  readonly user_raw_input: string;
  readonly hook_signals: readonly HookSignal[];
}

export interface PlannerTools {
  /** Does what the AI asks for, one action at a time, and says what to tell it. Never rejects. */
  readonly act: (action: unknown) => Promise<ActionAnswer>;
  /** Aborts when the session or the runtime ends, or the turn's own signal does. */
  readonly signal: AbortSignal;
}

/**
 * The host's own: it asks the model and returns the actions that the model wants, a list of them, which the runtime does
 * one after the other. One that calls `act` drives itself, and what it returns is its own.
 */
export type Planner<Plan> = (control: StartControl, context: TurnContext, tools: PlannerTools) => Plan | Promise<Plan>;
