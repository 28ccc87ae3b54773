import type { Observable } from 'rxjs';
import type { HookwrightError } from '../errors.ts';
import type { HookMessage, MessageBusType, MessageOf } from '../protocol/index.ts';

/** May be async: a rejection is handled like a throw. */
export type MessageListener<Type extends MessageBusType> = (message: MessageOf<Type>) => void;
export type ErrorListener = (error: HookwrightError) => void;

export interface SubscribeOptions {
  /** Ends the subscription when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions<Type extends MessageBusType = MessageBusType> {
  /** From the moment of the call; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A response it does not return true for becomes an `error` event, and the request keeps waiting for another. */
  readonly accepts?: ((response: MessageOf<Type>) => boolean) | undefined;
}

/** What a bus offers over every transport; `describeBus` is the suite that holds it to this. */
export interface Bus {
  /** Whether others may answer on it, in processes of their own. An engine that ends leaves its place to them. */
  readonly spansProcesses?: boolean | undefined;
  /** Never throws. A message that cannot be delivered becomes an `error` event. */
  publish(message: HookMessage): void;
  /**
   * Messages come as frozen copies: watching changes nothing. The same listener may subscribe twice and is then called
   * twice. A listener that subscribes during a delivery gets the messages after it; one that unsubscribes gets nothing
   * more of it.
   *
   * @returns ends this subscription; calling it again does nothing.
   */
  subscribe<Type extends MessageBusType>(
    type: Type,
    listener: MessageListener<Type>,
    options?: SubscribeOptions,
  ): () => void;
  /**
   * Answers messages of a type: of all who serve it, on every bus that the transport joins, one gets each message. It gets
   * the message itself, where `subscribe` and `stream` give a copy.
   *
   * @returns ends it; calling it again does nothing.
   */
  serve<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): () => void;
  /** Ends one subscription of this listener, the oldest. */
  unsubscribe<Type extends MessageBusType>(type: Type, listener: MessageListener<Type>): void;
  /**
   * Publishes, and resolves with the message of `responseType` that repeats the correlation id. Rejects with a
   * `HookwrightError`: `deadline_exceeded`; `cancelled`; or, nothing being published then, `duplicate_request` when this
   * bus waits for that id already, `invalid_message` and `invalid_argument`.
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
   * Messages as they are delivered, of all types or of one. No observer can end it for others: what an observer throws,
   * or a pipe derived from it fails with unheard, becomes an `error` event.
   */
  stream(): Observable<HookMessage>;
  stream<Type extends MessageBusType>(type: Type): Observable<MessageOf<Type>>;
  /**
   * What the bus could not deliver and what listeners did wrong. An error listener that fails is ignored.
   *
   * @returns ends this subscription; calling it again does nothing.
   */
  on(event: 'error', listener: ErrorListener): () => void;
  off(event: 'error', listener: ErrorListener): void;
  /** Tells the `error` listeners of something that belongs to no message, as an engine does that cannot run its hooks. */
  report?(error: HookwrightError): void;
  /** Whether a type has a server or a listener of its own; true where the transport cannot know. */
  isHeard(type: MessageBusType): boolean;
  /** Whether an engine answers messages of a type; true where the transport cannot know. */
  isServed?(type: MessageBusType): boolean;
  /** Whether a type has listeners beside its servers; true where the transport cannot know. */
  isWatched(type: MessageBusType): boolean;
  /** Changes whenever what `isWatched` says may have changed; `undefined` if the transport does not know. */
  readonly version?: number | undefined;
  /**
   * Listeners, servers and streams of one type on this bus; `*` counts the streams of all types. Requests that wait are not
   * listeners.
   */
  listenerCount(type: MessageBusType | '*' | 'error'): number;
  /** Ends every subscription, those to `error` included, and completes every stream. Requests keep waiting. */
  removeAllListeners(): void;
  /** A fresh id for a message. */
  createCorrelationId(): string;
}
