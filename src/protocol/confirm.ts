// The callback `deps.confirm`, with which a host lets a person approve or refuse an action.
import type { ParkAnswer } from './parking.ts';

/** Asks a person, or a policy of the host, about an action for which a hook answered `ask`. */
export interface ConfirmQuestion {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** Id of the bus request whose hooks answered `ask`; `undefined` for a direct call. */
  readonly correlationId?: string | undefined;
}

export type Unanswered = 'no-listener' | 'no-terminal' | 'timeout';

export interface ConfirmContext {
  readonly signal?: AbortSignal | undefined;
  /** Call it if you return a default because no person answered. The report then says so. */
  readonly onUnanswered?: ((why: Unanswered) => void) | undefined;
  /**
   * Signs the tool call into a token, for a `confirm` that cannot wait. Return the resolved value. Only before a tool
   * runs, and only if the host has `deps.parking`.
   */
  readonly park?: (() => Promise<ParkAnswer>) | undefined;
}

/**
 * Decides about an action: true lets it happen, `{park: token}` keeps a tool call for later. An exception refuses the
 * action and is reported as a fault.
 */
export type Confirm = (
  question: ConfirmQuestion,
  context?: ConfirmContext,
) => boolean | ParkAnswer | Promise<boolean | ParkAnswer>;
