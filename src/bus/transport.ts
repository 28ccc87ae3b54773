import type { HookMessage, MessageBusType } from '../protocol/index.ts';

/** One type of messages, or all of them. */
export type Channel = MessageBusType | '*';

/**
 * In what part a bus receives messages.
 *
 * - `server`: it answers them. Of all servers of a type, on all buses that a transport joins, one gets each message.
 * - `requester`: it takes the answers to its own requests and ignores the others.
 * - `watcher`: all others. Each gets every message.
 */
export type Role = 'server' | 'requester' | 'watcher';

export interface TransportFeatures {
  /** What is published has been delivered when `publish` returns. */
  readonly inline: boolean;
  /** It knows when a message has no receiver; a transport that joins processes usually does not. */
  readonly knowsListeners: boolean;
  /** Others may answer on it, in processes of their own: an engine that ends leaves its place to them. */
  readonly spansProcesses?: boolean;
}

/**
 * Carries messages to their receivers, in one process or between many. Requests and responses are made of them by a
 * `MessageBus`. Incoming values may be anything, plain JSON at best; the bus checks them.
 */
export interface Transport {
  readonly features: TransportFeatures;
  /** What it throws becomes an `error` event of the bus. */
  publish(type: MessageBusType, message: HookMessage): void;
  /**
   * Messages of one receiver come in the order in which they were published, the receiver's own included. A reception
   * counts from this call on: what is published afterwards, on this side, reaches it.
   *
   * @returns ends it; calling it again does nothing.
   */
  receive(channel: Channel, role: Role, deliver: (message: unknown) => void): () => void;
  /** Whether a channel has a receiver in a role; true where it cannot know. */
  hears(channel: Channel, role: Role): boolean;
  /** Changes whenever what `hears` says may have changed. Without it the engine calls `hears` for each event. */
  readonly version?: number;
  /** Errors outside of a publish: a link that drops, bytes that are no JSON. */
  onError?(listener: (error: unknown) => void): void;
  /** Stops delivering. The creator of the transport closes it; no bus does. */
  close(): void | Promise<void>;
}
