import { type HookMessage, MessageBusType } from '../protocol/messages.ts';
import { Remembered } from './remembered.ts';

const requests: ReadonlySet<string> = new Set([
  MessageBusType.HOOK_EXECUTION_REQUEST,
  MessageBusType.HOOK_CONFIRMATION_REQUEST,
  MessageBusType.ABILITY_EVENT_REQUEST,
]);

const responses: ReadonlySet<string> = new Set([
  MessageBusType.HOOK_EXECUTION_RESPONSE,
  MessageBusType.HOOK_CONFIRMATION_RESPONSE,
  MessageBusType.ABILITY_EVENT_RESPONSE,
]);

export const isResponse = ({ type }: HookMessage): boolean => responses.has(type);

/** Somebody may answer once more, soon. */
const ANSWERED = 1_000;

/** Which requests a session has had, as far as anybody may still answer them. */
export class SeenRequests {
  readonly #open = new Remembered<true>();
  readonly #answered = new Remembered<true>(ANSWERED);

  /** Notes a message. False for a response nobody had asked for. */
  note(message: HookMessage): boolean {
    const { type, correlationId } = message;
    if (requests.has(type)) this.#open.set(correlationId, true);
    if (!responses.has(type)) return true;
    if (this.#open.get(correlationId) === undefined) return this.#answered.get(correlationId) !== undefined;
    this.#open.delete(correlationId);
    this.#answered.set(correlationId, true);
    return true;
  }
}
