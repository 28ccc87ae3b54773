import type { HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import type { PlanContext } from '../planner/index.ts';
import type { ConfirmQuestion } from '../protocol/index.ts';
import type { EventVerdict, Host } from '../triggers/index.ts';

/** What the hooks made of a call. */
export interface CallAnswer<E extends HookEventName> {
  readonly host: Host;
  readonly output: OutputOf<E> | undefined;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

/** One method of the facade: how its call becomes an event, and what the caller can use of the answer. */
export interface FacadeCall<E extends HookEventName, Call, Changes extends object> {
  readonly event: E;
  /** Refuses a call that lacks something. */
  readonly check: (call: Call) => void;
  readonly toPayload: (call: Call) => PayloadOf<E>;
  /** What matchers are compared with, known before there is a payload. Without it, any matcher may match. */
  readonly context?: (call: Call) => PlanContext;
  /** Whether the call has something to do although no hook runs. */
  readonly hasWork?: (host: Host) => boolean;
  /** What a person is told beside the reason when a hook says `ask`. */
  readonly about?: (call: Call, output: OutputOf<E>) => Omit<ConfirmQuestion, 'reason' | 'eventName'>;
  /** What the event can change, with the changes made; without an output, as it came. */
  readonly changes: (call: Call, answer: CallAnswer<E>) => Changes;
}

/** Keeps the types of a record. */
export const call = <E extends HookEventName, Call, Changes extends object>(
  record: FacadeCall<E, Call, Changes>,
): FacadeCall<E, Call, Changes> => record;
