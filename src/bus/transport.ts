// The interface of a transport, which carries the messages of a bus.
import type { HookMessage, MessageBusType } from '../protocol/index.ts';

export type Channel = MessageBusType | '*';

/**
 * How a bus uses the messages it receives.
 *
 * - `server`: answers them. Each message goes to one server only, across all buses of the transport.
 * - `requester`: waits for responses to its own requests and ignores others.
 * - `watcher`: observes. Each watcher gets every message.
 */
export type Role = 'server' | 'requester' | 'watcher';

export interface TransportFeatures {
  /** True if messages are delivered before `publish` returns. */
  readonly inline: boolean;
  /** True if the transport knows whether a message has a receiver. Transports between processes usually do not. */
  readonly knowsListeners: boolean;
  /**
   * True if other processes may serve requests too. A disposed engine then stops serving, so that engines elsewhere get
   * the requests.
   */
  readonly spansProcesses?: boolean;
}

/**
 * Carries messages within a process or between processes. `MessageBus` adds requests and responses, and validates
 * incoming messages.
 */
export interface Transport {
  readonly features: TransportFeatures;
  publish(type: MessageBusType, message: HookMessage): void;
  /**
   * Registers a receiver. A receiver gets messages in the order of publication, those of its own bus included. Messages
   * that this process publishes after the call must reach the receiver.
   *
   * @returns removes the receiver; calling it again does nothing.
   */
  receive(channel: Channel, role: Role, deliver: (message: unknown) => void): () => void;
  /** True if the channel has a receiver with that role, or if the transport cannot tell. */
  hears(channel: Channel, role: Role): boolean;
  /** A number that changes when the result of `hears` may have changed. Without it, `hears` is called for each event. */
  readonly version?: number;
  onError?(listener: (error: unknown) => void): void;
  /** Stops delivery. Only the creator of the transport calls it; a bus never does. */
  close(): void | Promise<void>;
}
