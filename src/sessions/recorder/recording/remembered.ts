import { type HookMessage, isQuestionType, isReplyType } from '../../../protocol/index.ts';

/** As many requests as may be in flight at once. */
const IN_FLIGHT = 20_000;

/**
 * A map by correlation id that forgets what was not used for long: what is read may have no end. It holds so many, and at
 * most twice as many. Two generations, because
 * forgetting the oldest one by one takes longer than everything else.
 */
export class Remembered<Value> {
  readonly #size: number;
  #current = new Map<string, Value>();
  #previous = new Map<string, Value>();

  constructor(size: number = IN_FLIGHT) {
    this.#size = size;
  }

  get(id: string): Value | undefined {
    const value = this.#current.get(id);
    if (value !== undefined) return value;
    const older = this.#previous.get(id);
    if (older !== undefined) this.set(id, older);
    return older;
  }

  set(id: string, value: Value): void {
    if (this.#current.size >= this.#size) {
      this.#previous = this.#current;
      this.#current = new Map();
    }
    this.#current.set(id, value);
  }

  delete(id: string): void {
    this.#current.delete(id);
    this.#previous.delete(id);
  }
}

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
    // The call may have been parked in another session, long ago.
    if (!isReplyType(type) || ('parked' in message && message.parked !== undefined)) return true;
    if (this.#open.get(correlationId) === undefined) return this.#answered.get(correlationId) !== undefined;
    this.#open.delete(correlationId);
    this.#answered.set(correlationId, true);
    return true;
  }
}
