// The interface of a bus: publish, subscribe, serve, request and stream messages.
import type { Observable } from 'rxjs';
import type { HookwrightError } from '../errors.ts';
import type { HookMessage, MessageBusType, MessageOf } from '../protocol/index.ts';

/** An async listener may reject. The bus reports rejections and exceptions as `error` events. */
export type MessageListener<Type extends MessageBusType> = (message: MessageOf<Type>) => void;
export type ErrorListener = (error: HookwrightError) => void;

export interface SubscribeOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions<Type extends MessageBusType = MessageBusType> {
  /** Milliseconds from the call of `request` until it rejects with `deadline_exceeded`. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Checks a response. If it returns false, the response becomes an `error` event and the request keeps waiting. */
  readonly accepts?: ((response: MessageOf<Type>) => boolean) | undefined;
}

export interface Bus {
  /**
   * True if other processes may serve requests too. A disposed engine then stops serving, so that engines elsewhere get
   * the requests.
   */
  readonly spansProcesses?: boolean | undefined;
  /**
   * Delivers a message to all listeners of its type. Never throws: a message that cannot be delivered becomes an
   * `error` event.
   */
  publish(message: HookMessage): void;
  /**
   * Calls the listener with a frozen copy of every message of a type. A listener that subscribes twice is called twice.
   * A listener that subscribes while a message is being delivered does not get that message.
   *
   * @returns ends this subscription; calling it again does nothing.
   */
  subscribe<Type extends MessageBusType>(
    type: Type,
    listener: MessageListener<Type>,
    options?: SubscribeOptions,
  ): () => void;
  /**
   * Registers a server, such as an engine, that answers messages of a type. Only one server gets each message, also if
   * the transport has several buses. A server gets the original message, not a frozen copy.
   *
   * @returns removes the server; calling it again does nothing.
   */
  serve<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): () => void;
  /** Ends one subscription of the listener: the oldest if it has several. */
  unsubscribe<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): void;
  /**
   * Publishes a request and resolves with the response that has the request's correlation id. Rejects with a
   * `HookwrightError` of code `deadline_exceeded` or `cancelled`. Before anything is published it may also reject with
   * `duplicate_request` (the id is already waiting on this bus), `invalid_message` or `invalid_argument`.
   */
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
  /**
   * Streams messages of one type, or of all. An error that an observer throws, or that a piped stream does not handle,
   * becomes an `error` event, so it cannot break other observers.
   */
  stream(): Observable<HookMessage>;
  stream<Type extends MessageBusType>(type: Type): Observable<MessageOf<Type>>;
  /**
   * Listens for delivery failures and for errors that listeners threw. An error thrown by an error listener is ignored.
   *
   * @returns ends this subscription; calling it again does nothing.
   */
  on(event: 'error', listener: ErrorListener): () => void;
  off(event: 'error', listener: ErrorListener): void;
  /** Reports an error that belongs to no message, such as an engine that failed to load its hooks. */
  report?(error: HookwrightError): void;
  /** True if a message of the type would reach a server or a listener of that type, or if the transport cannot tell. */
  isHeard(type: MessageBusType): boolean;
  isServed?(type: MessageBusType): boolean;
  /** True if the type has listeners other than servers, or if the transport cannot tell. */
  isWatched(type: MessageBusType): boolean;
  /**
   * A number that changes when the result of `isWatched` may have changed, so that callers can cache it. `undefined` if
   * the transport cannot tell.
   */
  readonly version?: number | undefined;
  /**
   * Number of listeners, servers and streams of a type on this bus. `*` counts the streams of all types. Pending
   * requests are not counted.
   */
  listenerCount(type: MessageBusType | '*' | 'error'): number;
  removeAllListeners(): void;
  createCorrelationId(): string;
}
