/** A request that waits for its response, with its timeout, and the ids of all requests of a bus. */
import { HookwrightError } from '../errors.ts';
import { MAX_TIMER_MS, onAbort, runInMicrotask } from '../kit/index.ts';
import { type HookMessage, isReplyType, type MessageBusType, type MessageOf } from '../protocol/index.ts';
import type { RequestOptions } from './bus.ts';

export const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * A timer that fires this much too late shows that the event loop was blocked. The block may have delayed the answer
 * too.
 */
const LATE_TIMER_MS = 3;

const LATE_ANSWER_WAIT_MS = 100;
const MAX_LATE_ANSWER_WAITS = 10;

const MAX_REMEMBERED_IDS = 1024;

/**
 * Correlation id → its pending request, or the type of the response it got. Old ids are forgotten by swapping two maps,
 * which is much cheaper than deleting them one by one.
 */
export class RequestIds {
  #current = new Map<string, WaitingRequest | MessageBusType>();
  #previous = new Map<string, WaitingRequest | MessageBusType>();
  #answered = 0;
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  waitingFor(id: string): WaitingRequest | undefined {
    const known = this.#current.get(id);
    return typeof known === 'object' ? known : undefined;
  }

  wait(id: string, request: WaitingRequest): void {
    this.#current.set(id, request);
    this.#waiting += 1;
  }

  giveUp(id: string): void {
    this.#current.delete(id);
    this.#previous.delete(id);
    this.#waiting -= 1;
  }

  answer(id: string, type: MessageBusType): void {
    if (!isReplyType(type)) {
      this.giveUp(id);
      return;
    }
    this.#current.set(id, type);
    this.#waiting -= 1;
    this.#answered += 1;
    if (this.#answered >= MAX_REMEMBERED_IDS) this.#beginGeneration();
  }

  wasAnswered(id: string, type: MessageBusType): boolean {
    return this.#current.get(id) === type || this.#previous.get(id) === type;
  }

  #beginGeneration(): void {
    this.#previous = this.#current;
    this.#current = new Map();
    this.#answered = 0;
    for (const [id, known] of this.#previous) {
      if (typeof known !== 'object') continue;
      this.#current.set(id, known);
      this.#previous.delete(id);
    }
  }
}

const isMessageOfType = <Type extends MessageBusType>(
  _message: HookMessage,
  type: MessageBusType,
  expected: Type,
): _message is HookMessage & MessageOf<Type> => type === expected;

type ResponseReceipt = 'other-type' | 'settled' | 'not-accepted';

interface WaitingRequest {
  receive(message: HookMessage, type: MessageBusType): ResponseReceipt;
}

const expireRequest = (request: { expire(): void }): void => request.expire();

export class PendingRequest<Type extends MessageBusType> implements WaitingRequest {
  readonly #id: string;
  readonly #responseType: Type;
  readonly #options: RequestOptions<Type>;
  readonly #resolve: (response: MessageOf<Type>) => void;
  readonly #reject: (error: HookwrightError) => void;
  readonly #ids: RequestIds;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = 0;
  #waits = 0;
  #stopListening: (() => void) | undefined;
  #settled = false;

  constructor(
    id: string,
    responseType: Type,
    options: RequestOptions<Type>,
    resolve: (response: MessageOf<Type>) => void,
    reject: (error: HookwrightError) => void,
    ids: RequestIds,
  ) {
    this.#id = id;
    this.#responseType = responseType;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#ids = ids;
    ids.wait(id, this);
  }

  arm(): void {
    if (this.#settled) return;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = this.#options;
    if (signal?.aborted) {
      this.#cancel(signal);
      return;
    }
    runInMicrotask(() => {
      if (!this.#settled) this.#expireIn(Math.min(timeoutMs, MAX_TIMER_MS));
    });
    if (signal !== undefined) this.#stopListening = onAbort(signal, () => this.#cancel(signal));
  }

  receive(message: HookMessage, type: MessageBusType): ResponseReceipt {
    if (!isMessageOfType(message, type, this.#responseType)) return 'other-type';
    if (!this.#isAccepted(message)) return 'not-accepted';
    this.#settle();
    this.#ids.answer(this.#id, type);
    this.#resolve(message);
    return 'settled';
  }

  #expireIn(delayMs: number): void {
    this.#dueAt = performance.now() + delayMs;
    this.#timer = setTimeout(expireRequest, delayMs, this);
  }

  /**
   * If the event loop was blocked, a responder in this process was blocked too. Its answer may be a denial, so the
   * request waits longer.
   */
  expire(): void {
    if (performance.now() - this.#dueAt > LATE_TIMER_MS && this.#waits < MAX_LATE_ANSWER_WAITS) {
      this.#waits += 1;
      this.#expireIn(LATE_ANSWER_WAIT_MS);
      return;
    }
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    this.#fail('deadline_exceeded', `no ${this.#responseType} within ${timeoutMs} ms`);
  }

  #cancel(signal: AbortSignal): void {
    this.#fail('cancelled', `cancelled while waiting for ${this.#responseType}`, signal.reason);
  }

  #fail(code: 'deadline_exceeded' | 'cancelled', message: string, cause?: unknown): void {
    this.#settle();
    this.#ids.giveUp(this.#id);
    const details = { correlationId: this.#id, responseType: this.#responseType };
    this.#reject(new HookwrightError(code, message, cause === undefined ? { details } : { details, cause }));
  }

  #isAccepted(message: MessageOf<Type>): boolean {
    const { accepts } = this.#options;
    if (accepts === undefined) return true;
    try {
      return accepts(message);
    } catch {
      return false;
    }
  }

  #settle(): void {
    this.#settled = true;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#stopListening?.();
  }
}
