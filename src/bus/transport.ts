import type { HookMessage, MessageBusType } from '../protocol/index.ts';

/** One type of messages, or all of them. */
export type Channel = MessageBusType | '*';

/**
 * In what part a bus receives messages.
 *
 * - `server`: it answers them. Of all servers of a type, on all buses that a transport joins, one gets each message.
 * - `requester`: it looks for the answers to what it asked itself, and does nothing with the others.
 * - `watcher`: all others. Each gets every message.
 */
export type Role = 'server' | 'requester' | 'watcher';

export interface TransportFeatures {
  /** What is published has been delivered when `publish` returns. */
  readonly inline: boolean;
  /** It can say that nobody receives something; one that joins processes usually cannot. */
  readonly knowsListeners: boolean;
  /** Others may answer on it, in processes of their own: an engine that ends leaves its place to them. */
  readonly spansProcesses?: boolean;
}

/**
 * Carries messages between whoever receives them, in one process or between many. It knows nothing of requests and answers:
 * a `MessageBus` makes those of it. What arrives may be anything, plain JSON at best; the bus looks at it.
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
  /** Whether anybody receives a channel in a role; true where it cannot know. */
  hears(channel: Channel, role: Role): boolean;
  /** What goes wrong without anybody publishing: a link that drops, bytes that are no JSON. */
  onError?(listener: (error: unknown) => void): void;
  /** Delivers nothing more. The transport belongs to whoever made it: no bus closes it. */
  close(): void | Promise<void>;
}
