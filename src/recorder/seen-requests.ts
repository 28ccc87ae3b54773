import { type HookMessage, MessageBusType } from '../protocol/messages.ts';
import { REMEMBERED } from './remembered.ts';

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

/**
 * Which requests a session has had, as far as anybody may still answer them: those that were answered are forgotten
 * when there are many, so that the longest session takes no more memory than a short one.
 */
export class SeenRequests {
  #open = new Map<string, boolean>();

  /** Notes a message. False for a response nobody had asked for. */
  note(message: HookMessage): boolean {
    const { type, correlationId } = message;
    if (requests.has(type)) {
      if (this.#open.size >= REMEMBERED) this.#forget();
      this.#open.set(correlationId, true);
      return true;
    }
    if (!responses.has(type)) return true;
    if (!this.#open.has(correlationId)) return false;
    this.#open.set(correlationId, false);
    return true;
  }

  #forget(): void {
    const open = [...this.#open].filter(([, isOpen]) => isOpen);
    // Requests that never were answered may be as many as there are; then the oldest go.
    this.#open = new Map(open.slice(-REMEMBERED / 2));
  }
}
