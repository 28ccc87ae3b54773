import type { ParkAnswer } from './parking.ts';

/** What a person (or a policy) is asked when a hook says `ask`. */
export interface ConfirmQuestion {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** The id of the request that led to it, if that was shown on a bus. */
  readonly correlationId?: string | undefined;
}

/** Why no person answered: there is no listener or no terminal to ask at, or the time ran out. */
export type Unanswered = 'no-listener' | 'no-terminal' | 'timeout';

export interface ConfirmContext {
  readonly signal?: AbortSignal | undefined;
  /** Called by a `confirm` whose result is no person's answer but what counts without one. */
  readonly onUnanswered?: ((why: Unanswered) => void) | undefined;
  /**
   * Signs the call into a token, for a `confirm` that cannot wait for its person: it answers with what this resolves to. There
   * before a tool runs if the host has `deps.parking`.
   */
  readonly park?: (() => Promise<ParkAnswer>) | undefined;
}

/** True lets the action happen, `{park: token}` keeps a tool call for later. Whatever goes wrong while asking counts as a refusal, and is a fault. */
export type Confirm = (
  question: ConfirmQuestion,
  context?: ConfirmContext,
) => boolean | ParkAnswer | Promise<boolean | ParkAnswer>;
