// The callback with which a host lets a person confirm an action.
import type { ParkAnswer } from './parking.ts';

/** The question to a person or a policy when a hook answers `ask`. */
export interface ConfirmQuestion {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** Id of the request that led to the question, if it was published on a bus. */
  readonly correlationId?: string | undefined;
}

/** Why no person answered. */
export type Unanswered = 'no-listener' | 'no-terminal' | 'timeout';

export interface ConfirmContext {
  readonly signal?: AbortSignal | undefined;
  /** Called by a `confirm` that returns a default because no person answered. */
  readonly onUnanswered?: ((why: Unanswered) => void) | undefined;
  /**
   * Signs the call into a token, for a `confirm` that cannot wait: return the resolved value. Available before a tool
   * runs, if the host has `deps.parking`.
   */
  readonly park?: (() => Promise<ParkAnswer>) | undefined;
}

/**
 * Returns true to let the action happen, or `{park: token}` to keep a tool call for later. An exception counts as a
 * refusal and is a fault.
 */
export type Confirm = (
  question: ConfirmQuestion,
  context?: ConfirmContext,
) => boolean | ParkAnswer | Promise<boolean | ParkAnswer>;
