import mittModule from 'mitt';
import type { Observable, Subscriber } from 'rxjs';
import { HookwrightError } from '../errors.ts';
import { describeThrown, describeValue, onAbort } from '../kit/index.ts';
import {
  isCorrelationId,
  isReplyType,
  isRequestType,
  type MessageBusType,
  type RequestType,
} from '../protocol/message-types.ts';
import type { HookMessage, MessageOf } from '../protocol/messages.ts';
import type { Bus, ErrorListener, MessageListener, RequestOptions, SubscribeOptions } from './bus.ts';
import { createId } from './create-id.ts';
import { isMessageType, whyNotDeliverable, whyNotType } from './envelope.ts';
import { Guard } from './guard.ts';
import { GuardedStream } from './guarded-stream.ts';
import { MAX_NESTED_REQUESTS, refusal, tooDeeplyNested } from './nested-requests.ts';
import { DEFAULT_TIMEOUT_MS, PendingRequests } from './pending-requests.ts';

type MessageEvents = { [Type in MessageBusType]: MessageOf<Type> };

// Under NodeNext mitt's default import is typed as its module (developit/mitt#191); a look decides which it is.
const isCreateEmitter = (value: unknown): value is typeof mittModule.default => typeof value === 'function';
const createEmitter = isCreateEmitter(mittModule) ? mittModule : mittModule.default;

type Channel = MessageBusType | '*' | 'error';

interface Subscription {
  readonly listener: unknown;
  active: boolean;
  readonly end: () => void;
  /** For streams, which are told when all listeners are removed. */
  readonly complete?: () => void;
}

/** A message that waits for its turn because it was published while another was being delivered. */
interface Queued {
  readonly message: HookMessage;
  readonly nesting: number;
  readonly quiet: boolean;
  next: Queued | undefined;
}

export interface MessageBusOptions {
  /** Makes correlation ids of 1 to 256 characters; nanoid by default. */
  readonly idGenerator?: () => string;
}

export interface BusStats {
  /** Requests that wait for their response. */
  readonly pending: number;
  /** Responses nobody on this bus waits for: late ones, and answers to requests that were published without `request`. */
  readonly ignoredResponses: number;
  /** Responses to an id that `request` had settled. */
  readonly duplicateResponses: number;
  readonly invalidMessages: number;
  readonly failedListeners: number;
  /** Errors no `error` listener was told of: there was none, or it had caused the error itself. */
  readonly unreportedErrors: number;
}

const invalidArgument = (message: string): HookwrightError => new HookwrightError('invalid_argument', message);

const checkType = (type: unknown): void => {
  if (!isMessageType(type)) throw invalidArgument(whyNotType(type));
};

const checkListener = (listener: unknown): void => {
  if (typeof listener !== 'function') throw invalidArgument(`expected a listener, got ${describeValue(listener)}`);
};

const checkErrorEvent = (event: unknown): void => {
  if (event !== 'error') throw invalidArgument(`the only event is "error", got ${describeValue(event)}`);
};

const whyNotRequest = (message: unknown, responseType: unknown, timeoutMs: unknown): HookwrightError | undefined => {
  const problem = whyNotDeliverable(message);
  if (problem !== undefined) return new HookwrightError('invalid_message', problem);
  if (!isMessageType(responseType)) return invalidArgument(`responseType: ${whyNotType(responseType)}`);
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return undefined;
  return invalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
};

const nothing = (): void => {};

/**
 * The bus inside one process. `publish` delivers before it returns; what listeners publish meanwhile is queued, so that
 * all listeners see one order.
 *
 * What an `error` listener sets off by itself, its own failures included, is never reported to it again: that could go
 * round for ever. `stats().unreportedErrors` counts it.
 */
export class MessageBus implements Bus {
  readonly #messages = createEmitter<MessageEvents>();
  readonly #errors = createEmitter<{ error: HookwrightError }>();
  readonly #subscriptions = new Map<Channel, Set<Subscription>>();
  readonly #requests = new PendingRequests();
  readonly #idGenerator: () => string;

  #delivering = false;
  #delivered = 0;
  #first: Queued | undefined;
  #last: Queued | undefined;
  /** How many requests are around what is being delivered. */
  #nesting = 0;
  /** True while what is being delivered was set off by an `error` listener. */
  #quiet = false;

  #invalidMessages = 0;
  #failedListeners = 0;
  #unreportedErrors = 0;

  constructor({ idGenerator = createId }: MessageBusOptions = {}) {
    this.#idGenerator = idGenerator;
  }

  publish(message: HookMessage): void {
    // The second case is what a stack overflow in the middle of a delivery left behind.
    if (this.#delivering || this.#first !== undefined) this.#enqueue(message);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      if (this.#first === undefined) this.#deliver(message, 0);
      if (this.#first !== undefined) this.#deliverQueued();
    } finally {
      this.#delivering = false;
      this.#nesting = 0;
    }
  }

  subscribe<Type extends MessageBusType>(
    type: Type,
    listener: MessageListener<Type>,
    { signal }: SubscribeOptions = {},
  ): () => void {
    checkType(type);
    checkListener(listener);
    if (signal?.aborted) return nothing;
    const guard = this.#guardFor(type);
    const handle = (message: MessageOf<Type>): void => {
      if (subscription.active) guard.run(listener, message);
    };
    let stopListening = nothing;
    const subscription = this.#add(type, listener, () => {
      this.#messages.off(type, handle);
      stopListening();
    });
    this.#messages.on(type, handle);
    if (signal !== undefined) stopListening = onAbort(signal, subscription.end);
    return subscription.end;
  }

  unsubscribe<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): void {
    this.#endOldest(type, listener);
  }

  request<Type extends MessageBusType>(
    message: HookMessage,
    responseType: Type,
    timeoutMs?: number,
    signal?: AbortSignal,
  ): Promise<MessageOf<Type>>;
  request<Type extends MessageBusType>(
    message: HookMessage,
    responseType: Type,
    options?: RequestOptions<Type>,
  ): Promise<MessageOf<Type>>;
  request<Type extends MessageBusType>(
    message: HookMessage,
    responseType: Type,
    timeout: number | RequestOptions<Type> = DEFAULT_TIMEOUT_MS,
    signal?: AbortSignal,
  ): Promise<MessageOf<Type>> {
    const options = typeof timeout === 'object' ? timeout : { timeoutMs: timeout, signal };
    return new Promise((resolve, reject) => {
      const problem = whyNotRequest(message, responseType, options.timeoutMs);
      if (problem !== undefined) return reject(problem);
      const { correlationId } = message;
      if (this.#requests.has(correlationId)) {
        const details = { correlationId };
        return reject(new HookwrightError('duplicate_request', 'a request with this id is pending', { details }));
      }
      if (options.signal?.aborted) {
        const cause = options.signal.reason;
        return reject(new HookwrightError('cancelled', 'cancelled before it was published', { cause }));
      }
      const request = this.#requests.open(correlationId, responseType, options, resolve, reject);
      this.publish(message);
      request.arm();
    });
  }

  stream(): Observable<HookMessage>;
  stream<Type extends MessageBusType>(type: Type): Observable<MessageOf<Type>>;
  stream<Type extends MessageBusType>(type?: Type): Observable<HookMessage> | Observable<MessageOf<Type>> {
    if (type !== undefined) return this.#streamOf(type);
    const guard = this.#guardFor('*');
    return new GuardedStream<HookMessage>((subscriber) => {
      // mitt looks for listeners of everything last, and would find one that came during this very delivery.
      const bornIn = this.#delivered;
      const next = (message: HookMessage): void => subscriber.next(message);
      const handle = (_type: MessageBusType, message: HookMessage): void => {
        if (subscription.active && this.#delivered > bornIn) guard.run(next, message);
      };
      const end = (): void => this.#messages.off('*', handle);
      const subscription = this.#add('*', subscriber, end, () => subscriber.complete());
      this.#messages.on('*', handle);
      return subscription.end;
    }, guard);
  }

  on(event: 'error', listener: ErrorListener): () => void {
    checkErrorEvent(event);
    checkListener(listener);
    const guard = new Guard({
      isQuiet: () => true,
      report: () => {
        this.#unreportedErrors += 1;
      },
    });
    const handle = (error: HookwrightError): void => {
      if (subscription.active) guard.run(listener, error);
    };
    const subscription = this.#add(event, listener, () => this.#errors.off(event, handle));
    this.#errors.on(event, handle);
    return subscription.end;
  }

  report(error: HookwrightError): void {
    if (this.listenerCount('error') > 0) this.#report(error, this.#quiet);
  }

  off(event: 'error', listener: ErrorListener): void {
    this.#endOldest(event, listener);
  }

  listenerCount(type: Channel): number {
    return this.#subscriptions.get(type)?.size ?? 0;
  }

  removeAllListeners(): void {
    const all = [...this.#subscriptions.values()].flatMap((subscriptions) => [...subscriptions]);
    for (const { end } of all) end();
    // A finaliser of the observer's may throw; the rest must still hear.
    const guard = this.#guardFor('*');
    for (const { complete } of all) if (complete !== undefined) guard.run(complete, undefined);
  }

  createCorrelationId(): string {
    const id: unknown = this.#idGenerator();
    if (isCorrelationId(id)) return id;
    throw new HookwrightError('internal_error', `idGenerator returned no correlation id but ${describeValue(id)}`);
  }

  /** Counters since the bus was made, for tests and health checks. */
  stats(): BusStats {
    return {
      pending: this.#requests.pending,
      ignoredResponses: this.#requests.ignoredResponses,
      duplicateResponses: this.#requests.duplicateResponses,
      invalidMessages: this.#invalidMessages,
      failedListeners: this.#failedListeners,
      unreportedErrors: this.#unreportedErrors,
    };
  }

  #streamOf<Type extends MessageBusType>(type: Type): Observable<MessageOf<Type>> {
    checkType(type);
    const guard = this.#guardFor(type);
    return new GuardedStream((subscriber: Subscriber<MessageOf<Type>>) => {
      const next = (message: MessageOf<Type>): void => subscriber.next(message);
      const handle = (message: MessageOf<Type>): void => {
        if (subscription.active) guard.run(next, message);
      };
      const end = (): void => this.#messages.off(type, handle);
      const subscription = this.#add(type, subscriber, end, () => subscriber.complete());
      this.#messages.on(type, handle);
      return subscription.end;
    }, guard);
  }

  #add(channel: Channel, listener: unknown, detach: () => void, complete?: () => void): Subscription {
    const peers = this.#subscriptions.get(channel) ?? new Set();
    this.#subscriptions.set(channel, peers);
    const subscription: Subscription = {
      listener,
      active: true,
      end: () => {
        if (!subscription.active) return;
        subscription.active = false;
        peers.delete(subscription);
        detach();
      },
      ...(complete === undefined ? {} : { complete }),
    };
    peers.add(subscription);
    return subscription;
  }

  #endOldest(channel: Channel, listener: unknown): void {
    for (const subscription of this.#subscriptions.get(channel) ?? []) {
      if (subscription.listener !== listener) continue;
      subscription.end();
      return;
    }
  }

  #enqueue(message: HookMessage): void {
    const queued: Queued = { message, nesting: this.#nesting, quiet: this.#quiet, next: undefined };
    if (this.#last === undefined) this.#first = queued;
    else this.#last.next = queued;
    this.#last = queued;
  }

  #deliverQueued(): void {
    try {
      for (let queued = this.#first; queued !== undefined; queued = this.#first) {
        this.#first = queued.next;
        if (queued.next === undefined) this.#last = undefined;
        this.#quiet = queued.quiet;
        this.#deliver(queued.message, queued.nesting);
      }
    } finally {
      this.#quiet = false;
      this.#nesting = 0;
    }
  }

  #deliver(message: HookMessage, nestedIn: number): void {
    this.#delivered += 1;
    this.#nesting = nestedIn;
    let type: MessageBusType;
    let correlationId: string;
    try {
      // Read once: a getter may answer differently the second time.
      ({ type, correlationId } = message);
    } catch {
      this.#refuse(message);
      return;
    }
    if (!isMessageType(type) || !isCorrelationId(correlationId)) {
      this.#refuse(message);
      return;
    }

    if (isRequestType(type) && nestedIn === MAX_NESTED_REQUESTS) {
      this.#refuseNested(type, message, correlationId);
      return;
    }
    const nesting = isRequestType(type) ? nestedIn + 1 : nestedIn;
    const reply = isReplyType(type);
    // Who acts on an answer has left the request behind.
    this.#nesting = reply ? 0 : nesting;

    if (reply || this.#requests.pending > 0) {
      const problem = this.#requests.receive(message, type, correlationId);
      if (problem !== undefined) this.#report(problem, this.#quiet);
    }
    this.#messages.emit(type, message);
  }

  #refuse(message: unknown): void {
    this.#invalidMessages += 1;
    const problem = whyNotDeliverable(message) ?? 'reading type and correlationId twice gave two answers';
    this.#report(new HookwrightError('invalid_message', problem), this.#quiet);
  }

  #refuseNested(type: RequestType, message: HookMessage, correlationId: string): void {
    const error = tooDeeplyNested(type, correlationId);
    this.#report(error, this.#quiet);
    const answer = refusal(type, message, correlationId, error);
    if (answer !== undefined) this.#deliver(answer, 0);
  }

  #guardFor(channel: Channel): Guard {
    return new Guard({
      isQuiet: () => this.#quiet,
      report: (thrown, quiet) => {
        this.#failedListeners += 1;
        const message = `a listener of ${channel === '*' ? 'all messages' : channel} failed: ${describeThrown(thrown)}`;
        const details = { type: channel };
        this.#report(new HookwrightError('listener_failed', message, { details, cause: thrown }), quiet);
      },
    });
  }

  #report(error: HookwrightError, quiet: boolean): void {
    if (quiet || this.listenerCount('error') === 0) {
      this.#unreportedErrors += 1;
      return;
    }
    const delivering = this.#delivering;
    const wasQuiet = this.#quiet;
    this.#delivering = true;
    this.#quiet = true;
    try {
      this.#errors.emit('error', error);
      this.#quiet = wasQuiet;
      if (!delivering) this.#deliverQueued();
    } finally {
      this.#quiet = wasQuiet;
      this.#delivering = delivering;
    }
  }
}
