/** Delivers published messages one at a time, so that all listeners of a bus see the same order. */
import { HookwrightError } from '../errors.ts';
import { describeThrown, describeValue, formatSuggestion, isRecord } from '../kit/index.ts';
import {
  type HookMessage,
  isCorrelationId,
  isReplyType,
  isRequestType,
  MAX_CORRELATION_ID,
  MessageBusType,
} from '../protocol/index.ts';
import { createNestingError, createUnhandledRefusal, MAX_NESTED_REQUESTS } from './nested-requests.ts';

/** Type and id are copied because a getter of the message could return another value when it is read again. */
export interface Delivery {
  readonly message: HookMessage;
  readonly type: MessageBusType;
  readonly id: string;
}

export interface DeliveryQueueOwner {
  begin(): void;
  send(type: MessageBusType, message: HookMessage): void;
  refuse(error: HookwrightError, isInvalid: boolean): void;
}

interface QueuedMessage {
  readonly message: HookMessage;
  readonly nesting: number;
  readonly quiet: boolean;
  next: QueuedMessage | undefined;
}

export class DeliveryQueue {
  readonly #owner: DeliveryQueueOwner;
  #delivering = false;
  #first: QueuedMessage | undefined;
  #last: QueuedMessage | undefined;
  /**
   * The message that the transport is sending. If the transport delivers it within `send`, it is not validated again.
   */
  #sending: Delivery | undefined;
  /** How many requests enclose the message being delivered: each was published by a listener of the previous one. */
  #nesting = 0;
  #quiet = false;

  constructor(owner: DeliveryQueueOwner) {
    this.#owner = owner;
  }

  /**
   * True while listeners react to an `error` event. Errors that they cause then are not reported, to avoid an endless
   * loop.
   */
  get isQuiet(): boolean {
    return this.#quiet;
  }

  publish(message: HookMessage): void {
    // Messages can still be queued although no delivery is running, if a stack overflow interrupted the last delivery.
    if (this.#delivering || this.#first !== undefined) this.#enqueue(message);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      if (this.#first === undefined) this.#send(message, 0);
      if (this.#first !== undefined) this.#sendQueued();
    } finally {
      this.#delivering = false;
      this.#nesting = 0;
    }
  }

  arrivals(hand: (delivery: Delivery) => void): (arrived: unknown) => void {
    return (arrived) => {
      if (this.#sending !== undefined && this.#sending.message === arrived) hand(this.#sending);
      else this.#arriveFromOutside(arrived, hand);
    };
  }

  quietly(tell: () => void): void {
    const delivering = this.#delivering;
    const wasQuiet = this.#quiet;
    this.#delivering = true;
    this.#quiet = true;
    try {
      tell();
      this.#quiet = wasQuiet;
      if (!delivering) this.#sendQueued();
    } finally {
      this.#quiet = wasQuiet;
      this.#delivering = delivering;
    }
  }

  #arriveFromOutside(arrived: unknown, hand: (delivery: Delivery) => void): void {
    if (!isDeliverable(arrived)) {
      this.#refuse(arrived);
      return;
    }
    const { type, correlationId: id } = arrived;
    const isInTurn = this.#delivering;
    this.#delivering = true;
    this.#owner.begin();
    if (!isInTurn) this.#nesting = isRequestType(type) ? 1 : 0;
    try {
      hand({ message: arrived, type, id });
      if (!isInTurn && this.#first !== undefined) this.#sendQueued();
    } finally {
      this.#delivering = isInTurn;
      if (!isInTurn) this.#nesting = 0;
    }
  }

  #enqueue(message: HookMessage): void {
    const queued: QueuedMessage = { message, nesting: this.#nesting, quiet: this.#quiet, next: undefined };
    if (this.#last === undefined) this.#first = queued;
    else this.#last.next = queued;
    this.#last = queued;
  }

  #sendQueued(): void {
    try {
      for (let queued = this.#first; queued !== undefined; queued = this.#first) {
        this.#first = queued.next;
        if (queued.next === undefined) this.#last = undefined;
        this.#quiet = queued.quiet;
        this.#send(queued.message, queued.nesting);
      }
    } finally {
      this.#quiet = false;
      this.#nesting = 0;
    }
  }

  #send(message: HookMessage, nestedIn: number): void {
    this.#owner.begin();
    this.#nesting = nestedIn;
    let type: MessageBusType;
    let id: string;
    try {
      ({ type, correlationId: id } = message);
    } catch {
      this.#refuse(message);
      return;
    }
    if (!isMessageType(type) || !isCorrelationId(id)) {
      this.#refuse(message);
      return;
    }
    if (isRequestType(type)) {
      if (nestedIn === MAX_NESTED_REQUESTS) {
        const error = createNestingError(type, id);
        this.#owner.refuse(error, false);
        const answer = createUnhandledRefusal(type, message, id, error);
        if (answer !== undefined) this.#send(answer, 0);
        return;
      }
      this.#nesting = nestedIn + 1;
    } else if (isReplyType(type)) {
      this.#nesting = 0;
    }
    this.#sending = { message, type, id };
    try {
      this.#owner.send(type, message);
    } catch (error) {
      this.#failed(type, id, error);
    } finally {
      this.#sending = undefined;
    }
  }

  #failed(type: MessageBusType, correlationId: string, error: unknown): void {
    const message = `a ${type} could not be sent: ${describeThrown(error)}`;
    const details = { type, correlationId };
    this.#owner.refuse(new HookwrightError('transport_failed', message, { details, cause: error }), false);
  }

  #refuse(message: unknown): void {
    const problem = explainUndeliverable(message) ?? 'reading type and correlationId twice gave two answers';
    this.#owner.refuse(new HookwrightError('invalid_message', problem), true);
  }
}

const messageTypes: readonly string[] = Object.values(MessageBusType);
const messageTypeSet: ReadonlySet<unknown> = new Set(messageTypes);

export const isMessageType = (type: unknown): type is MessageBusType => messageTypeSet.has(type);

export const explainBadMessageType = (type: unknown): string =>
  `expected a known message type, got ${describeValue(type)}${typeof type === 'string' ? formatSuggestion(type, messageTypes) : ''}`;

/**
 * `undefined` if the message can be delivered. Only type and correlation id are checked; listeners check the other
 * fields.
 */
export const explainUndeliverable = (message: unknown): string | undefined => {
  try {
    if (!isRecord(message)) return `expected an object with type and correlationId, got ${describeValue(message)}`;
    const { type, correlationId } = message;
    if (!isMessageType(type)) return explainBadMessageType(type);
    if (isCorrelationId(correlationId)) return undefined;
    const found =
      typeof correlationId === 'string' && correlationId.length > MAX_CORRELATION_ID
        ? `one of ${correlationId.length}`
        : describeValue(correlationId);
    return `${type}: expected a correlationId of 1 to ${MAX_CORRELATION_ID} characters, got ${found}`;
  } catch (error) {
    return `reading type and correlationId throws: ${describeThrown(error)}`;
  }
};

export const isDeliverable = (message: unknown): message is HookMessage => explainUndeliverable(message) === undefined;
