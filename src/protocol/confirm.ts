// The callback `deps.confirm`, by which a host lets a person approve or refuse an action.
import type { ParkAnswer } from './parking.ts';

/** An action for which a hook answered `ask`. */
export interface ConfirmQuestion {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** The bus request whose hooks answered `ask`; `undefined` for a direct call. */
  readonly correlationId?: string | undefined;
}

export type Unanswered = 'no-listener' | 'no-terminal' | 'timeout';

export interface ConfirmContext {
  readonly signal?: AbortSignal | undefined;
  /** Call it if no person answered and you return a default. */
  readonly onUnanswered?: ((why: Unanswered) => void) | undefined;
  /** Parks the tool call; return the resolved value. Present only before a tool runs and with `deps.parking`. */
  readonly park?: (() => Promise<ParkAnswer>) | undefined;
}

/**
 * Decides about an action: `true` lets it happen, `{park: token}` keeps a tool call for later. An exception refuses the
 * action.
 */
export type Confirm = (
  question: ConfirmQuestion,
  context?: ConfirmContext,
) => boolean | ParkAnswer | Promise<boolean | ParkAnswer>;
