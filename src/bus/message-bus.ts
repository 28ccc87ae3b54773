// The message bus: publishes messages over a transport and matches responses with requests.
import { urlAlphabet } from 'nanoid';
import { Observable, type Observer, type Operator, type Subscriber, type Subscription, type TeardownLogic } from 'rxjs';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeThrown, describeValue, doNothing, onAbort } from '../kit/index.ts';
import {
  type HookMessage,
  isCorrelationId,
  type MessageBusType,
  type MessageOf,
  replyTypeNames,
} from '../protocol/index.ts';
import type { Bus, ErrorListener, MessageListener, RequestOptions, SubscribeOptions } from './bus.ts';
import { type Delivery, DeliveryQueue, explainBadMessageType, isMessageType } from './delivery-queue.ts';
import { ErrorBoundary, Listeners, type ListenerTopic, type TopicValues } from './listeners.ts';
import { MemoryTransport } from './memory-transport.ts';
import { DEFAULT_TIMEOUT_MS } from './pending-requests.ts';
import { RequestExchange } from './request-exchange.ts';
import { snapshotOf } from './snapshot.ts';
import type { Role, Transport } from './transport.ts';

export interface MessageBusOptions {
  /** Carries the messages; the bus does not close it. Default: an in-memory transport used only by this bus. */
  readonly transport?: Transport;
  /** Creates correlation ids of 1 to 256 characters. Default: nanoid. */
  readonly idGenerator?: () => string;
}

export interface BusStats {
  readonly pending: number;
  /**
   * Responses that matched no pending request: they came too late, or their request was published without `request`.
   */
  readonly ignoredResponses: number;
  readonly duplicateResponses: number;
  readonly invalidMessages: number;
  readonly failedListeners: number;
  /** Errors that were not reported: no `error` listener was registered, or an `error` listener caused them. */
  readonly unreportedErrors: number;
}

const checkMessageType = (type: unknown): void => {
  if (!isMessageType(type)) throw createInvalidArgument(explainBadMessageType(type));
};

const checkListener = (listener: unknown): void => {
  if (typeof listener !== 'function')
    throw createInvalidArgument(`expected a listener, got ${describeValue(listener)}`);
};

/**
 * A bus over a transport. The in-memory transport delivers before `publish` returns; messages that listeners publish
 * meanwhile are queued, so that all listeners see one order. Errors that an `error` listener causes are not reported to
 * it, since that could loop forever; `stats().unreportedErrors` counts them.
 */
export class MessageBus implements Bus {
  readonly #transport: Transport;
  readonly #listeners = new Listeners((topic) => this.#receiveFor(topic));
  readonly #servers = new Map<MessageBusType, Set<() => void>>();
  readonly #queue: DeliveryQueue;
  readonly #requests: RequestExchange;
  readonly #idGenerator: () => string;
  #watched: { readonly message: HookMessage; readonly copy: HookMessage } | undefined;

  #invalidMessages = 0;
  #failedListeners = 0;
  #unreportedErrors = 0;

  constructor({ transport = new MemoryTransport(), idGenerator = createId }: MessageBusOptions = {}) {
    this.#transport = transport;
    this.#idGenerator = idGenerator;
    this.#queue = new DeliveryQueue({
      begin: () => {
        this.#watched = undefined;
        this.#listeners.begin();
      },
      send: transport.publish.bind(transport),
      refuse: (error, isInvalid) => {
        if (isInvalid) this.#invalidMessages += 1;
        this.#report(error);
      },
    });
    this.#requests = new RequestExchange({
      publish: this.#queue.publish.bind(this.#queue),
      receive: (type, deliver) => {
        this.#receive(type, 'requester', ({ message, type: received, id }) => deliver(message, received, id));
      },
      report: (error) => this.#report(error),
    });
    // A transport that is not inline delivers replies over the network. Its bus subscribes to replies only when it sends
    // a request.
    if (transport.features.inline) for (const type of replyTypeNames) this.#requests.expect(type);
    transport.onError?.((error) => this.#report(toTransportError(error)));
  }

  get spansProcesses(): boolean {
    return this.#transport.features.spansProcesses === true;
  }

  publish(message: HookMessage): void {
    this.#queue.publish(message);
  }

  subscribe<Type extends MessageBusType>(
    type: Type,
    listener: MessageListener<Type>,
    { signal }: SubscribeOptions = {},
  ): () => void {
    checkMessageType(type);
    checkListener(listener);
    if (signal?.aborted) return doNothing;
    let stopListening = doNothing;
    const end = this.#listeners.on(type, listener, this.#boundaryFor(type), { onEnd: () => stopListening() });
    if (signal !== undefined) stopListening = onAbort(signal, end);
    return end;
  }

  unsubscribe<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): void {
    this.#listeners.endOldest(type, listener);
  }

  serve<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): () => void {
    checkMessageType(type);
    checkListener(listener);
    const boundary = this.#boundaryFor(type);
    const servers = this.#servers.get(type) ?? new Set();
    this.#servers.set(type, servers);
    const isOurs = (_message: HookMessage, received: MessageBusType): _message is HookMessage & MessageOf<Type> =>
      received === type;
    const stop = this.#receive(type, 'server', ({ message, type: received }) => {
      if (isOurs(message, received)) boundary.run(listener, message);
    });
    const end = (): void => {
      servers.delete(end);
      stop();
    };
    servers.add(end);
    return end;
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
    return this.#requests.request(message, responseType, options);
  }

  stream(): Observable<HookMessage>;
  stream<Type extends MessageBusType>(type: Type): Observable<MessageOf<Type>>;
  stream<Type extends MessageBusType>(type?: Type): Observable<HookMessage> | Observable<MessageOf<Type>> {
    if (type === undefined) return this.#streamOf('every');
    checkMessageType(type);
    return this.#streamOf(type);
  }

  on(event: 'error', listener: ErrorListener): () => void {
    if (event !== 'error') throw createInvalidArgument(`the only event is "error", got ${describeValue(event)}`);
    checkListener(listener);
    const boundary = new ErrorBoundary({
      isQuiet: () => true,
      report: () => {
        this.#unreportedErrors += 1;
      },
    });
    return this.#listeners.on('error', listener, boundary);
  }

  report(error: HookwrightError): void {
    if (this.listenerCount('error') > 0) this.#report(error);
  }

  off(event: 'error', listener: ErrorListener): void {
    this.#listeners.endOldest(event, listener);
  }

  listenerCount(type: MessageBusType | '*' | 'error'): number {
    if (type === '*') return this.#listeners.count('every');
    const servers = type === 'error' ? undefined : this.#servers.get(type);
    return this.#listeners.count(type) + (servers?.size ?? 0);
  }

  isServed(type: MessageBusType): boolean {
    return this.#transport.hears(type, 'server');
  }

  isHeard(type: MessageBusType): boolean {
    return this.isServed(type) || this.#transport.hears(type, 'watcher');
  }

  isWatched(type: MessageBusType): boolean {
    return this.#transport.hears(type, 'watcher') || this.#transport.hears('*', 'watcher');
  }

  get version(): number | undefined {
    return this.#transport.version;
  }

  removeAllListeners(): void {
    for (const servers of this.#servers.values()) for (const end of [...servers]) end();
    const completions = this.#listeners.endAll();
    const boundary = this.#boundaryFor('every');
    for (const complete of completions) boundary.run(complete, undefined);
  }

  createCorrelationId(): string {
    const id: unknown = this.#idGenerator();
    if (isCorrelationId(id)) return id;
    throw new HookwrightError('internal_error', `idGenerator returned no correlation id but ${describeValue(id)}`);
  }

  stats(): BusStats {
    return {
      ...this.#requests.counts,
      invalidMessages: this.#invalidMessages,
      failedListeners: this.#failedListeners,
      unreportedErrors: this.#unreportedErrors,
    };
  }

  #streamOf<Topic extends ListenerTopic>(topic: Topic): Observable<TopicValues[Topic]> {
    const boundary = this.#boundaryFor(topic);
    return new ReportingStream((subscriber: Subscriber<TopicValues[Topic]>) => {
      const next = (value: TopicValues[Topic]): void => subscriber.next(value);
      return this.#listeners.on(topic, next, boundary, { complete: () => subscriber.complete() });
    }, boundary);
  }

  #receiveFor(topic: ListenerTopic): () => void {
    if (topic === 'error') return doNothing;
    const channel = topic === 'every' ? '*' : topic;
    return this.#receive(channel, 'watcher', ({ message }) => this.#listeners.emit(topic, this.#copyFor(message)));
  }

  #receive(channel: MessageBusType | '*', role: Role, hand: (delivery: Delivery) => void): () => void {
    return this.#transport.receive(channel, role, this.#queue.arrivals(hand));
  }

  #copyFor(message: HookMessage): HookMessage {
    if (this.#watched?.message !== message) this.#watched = { message, copy: snapshotOf(message) };
    return this.#watched.copy;
  }

  #boundaryFor(topic: ListenerTopic): ErrorBoundary {
    return new ErrorBoundary({
      isQuiet: () => this.#queue.isQuiet,
      report: (thrown, quiet) => {
        this.#failedListeners += 1;
        const message = `a listener of ${topic === 'every' ? 'all messages' : topic} failed: ${describeThrown(thrown)}`;
        const details = { type: topic === 'every' ? '*' : topic };
        this.#report(new HookwrightError('listener_failed', message, { details, cause: thrown }), quiet);
      },
    });
  }

  #report(error: HookwrightError, quiet = this.#queue.isQuiet): void {
    if (quiet || this.#listeners.count('error') === 0) {
      this.#unreportedErrors += 1;
      return;
    }
    this.#queue.quietly(() => this.#listeners.emit('error', error));
  }
}

const toTransportError = (error: unknown): HookwrightError =>
  HookwrightError.is(error)
    ? error
    : new HookwrightError('transport_failed', `the transport failed: ${describeThrown(error)}`, { cause: error });

const ID_LENGTH = 21;
const randomBytes = new Uint8Array(ID_LENGTH * 195);
const textDecoder = new TextDecoder();

/** Creates 195 ids with one call of `getRandomValues`, which is much cheaper than one call per id. */
const createIdBatch = (): string => {
  crypto.getRandomValues(randomBytes);
  return textDecoder.decode(randomBytes.map((byte) => urlAlphabet.charCodeAt(byte & 63)));
};

let idBatch = '';
let usedBatchLength = 0;

export const createId = (): string => {
  if (usedBatchLength === idBatch.length) {
    idBatch = createIdBatch();
    usedBatchLength = 0;
  }
  usedBatchLength += ID_LENGTH;
  return idBatch.slice(usedBatchLength - ID_LENGTH, usedBatchLength);
};

type NextCallback<T> = (value: T) => void;
type PartialObserver<T> = Partial<Observer<T>>;

/**
 * RxJS passes a Subscriber between chained operators. It is recognized by its methods because the host may load another
 * copy of RxJS.
 */
const isRxSubscriber = (value: object): boolean =>
  'closed' in value &&
  ['next', 'error', 'complete', 'add', 'remove', 'unsubscribe'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );

/**
 * By default RxJS rethrows an observer's error from a timer, which ends the process. A bus reports it as an `error`
 * event instead, for this stream and all streams piped from it.
 */
class ReportingStream<T> extends Observable<T> {
  readonly #boundary: ErrorBoundary;

  constructor(start: (subscriber: Subscriber<T>) => TeardownLogic, boundary: ErrorBoundary) {
    super(start);
    this.#boundary = boundary;
  }

  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = super.lift(operator);
    return new ReportingStream<R>((subscriber) => lifted.subscribe(subscriber), this.#boundary);
  }

  override subscribe(
    observerOrNext?: PartialObserver<T> | NextCallback<T> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    if (typeof observerOrNext === 'object' && observerOrNext !== null) {
      return super.subscribe(isRxSubscriber(observerOrNext) ? observerOrNext : this.#reporting(observerOrNext));
    }
    const handlers: PartialObserver<T> = {};
    if (observerOrNext) handlers.next = observerOrNext;
    if (error) handlers.error = error;
    if (complete) handlers.complete = complete;
    return super.subscribe(this.#reporting(handlers));
  }

  #reporting(observer: PartialObserver<T>): Observer<T> {
    const boundary = this.#boundary;
    const next = (value: T): unknown => observer.next?.(value);
    const complete = (): unknown => observer.complete?.();
    const error = (thrown: unknown): unknown => (observer.error ? observer.error(thrown) : boundary.failed(thrown));
    return {
      next: (value) => boundary.run(next, value),
      error: (thrown) => boundary.run(error, thrown),
      complete: () => boundary.run(complete, undefined),
    };
  }
}
