import { type HookMessage, isQuestionType, isReplyType } from '../../protocol/index.ts';
import { Remembered } from './recording/remembered.ts';

export const isResponse = ({ type }: HookMessage): boolean => isReplyType(type);

/** A handler may answer once more, soon. */
const ANSWERED = 1_000;

/** Which requests a session has had, as far as they may still be answered. */
export class SeenRequests {
  readonly #open = new Remembered<true>();
  readonly #answered = new Remembered<true>(ANSWERED);

  /** Notes a message. False for a response without a request. */
  note(message: HookMessage): boolean {
    const { type, correlationId } = message;
    if (isQuestionType(type)) this.#open.set(correlationId, true);
    if (!isReplyType(type)) return true;
    if (this.#open.get(correlationId) === undefined) return this.#answered.get(correlationId) !== undefined;
    this.#open.delete(correlationId);
    this.#answered.set(correlationId, true);
    return true;
  }
}
