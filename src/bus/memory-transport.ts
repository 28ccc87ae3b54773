/** Delivers messages within one process. This is the default transport of a bus. */
import type { HookMessage, MessageBusType } from '../protocol/index.ts';
import type { Channel, Role, Transport } from './transport.ts';

type MessageReceiver = (message: unknown) => void;
/** Arrays are replaced, never mutated, so that adding or removing a receiver does not disturb a running delivery. */
type ReceiversByChannel = Map<Channel, readonly MessageReceiver[]>;

const noReceivers: readonly MessageReceiver[] = [];

/**
 * Connects buses of one process, which may share an instance. `publish` delivers before it returns; messages published
 * meanwhile are queued, so that all buses see one order.
 */
export class MemoryTransport implements Transport {
  readonly features = { inline: true, knowsListeners: true } as const;
  readonly #receivers: Readonly<Record<Role, ReceiversByChannel>> = {
    server: new Map(),
    requester: new Map(),
    watcher: new Map(),
  };
  readonly #waiting: { readonly type: MessageBusType; readonly message: HookMessage }[] = [];
  #isBusy = false;
  #version = 0;

  get version(): number {
    return this.#version;
  }

  publish(type: MessageBusType, message: HookMessage): void {
    if (this.#isBusy || this.#waiting.length > 0) this.#waiting.push({ type, message });
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#waiting.length === 0) this.#deliver(type, message);
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#deliver(next.type, next.message);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  receive(channel: Channel, role: Role, deliver: MessageReceiver): () => void {
    const receiver: MessageReceiver = (message) => {
      if (isActive) deliver(message);
    };
    let isActive = true;
    const receivers = this.#receivers[role];
    receivers.set(channel, [...(receivers.get(channel) ?? noReceivers), receiver]);
    this.#version += 1;
    return () => {
      if (!isActive) return;
      isActive = false;
      this.#version += 1;
      const others = (receivers.get(channel) ?? noReceivers).filter((other) => other !== receiver);
      if (others.length === 0) receivers.delete(channel);
      else receivers.set(channel, others);
    };
  }

  hears(channel: Channel, role: Role): boolean {
    return this.#receivers[role].has(channel);
  }

  close(): void {
    this.#version += 1;
    for (const receivers of Object.values(this.#receivers)) receivers.clear();
  }

  #deliver(type: MessageBusType, message: HookMessage): void {
    const { requester, server, watcher } = this.#receivers;
    const [asking, [serving] = noReceivers] = [requester.get(type) ?? noReceivers, server.get(type)];
    const [watching, everything] = [watcher.get(type) ?? noReceivers, watcher.get('*') ?? noReceivers];
    for (const deliver of asking) deliver(message);
    serving?.(message);
    for (const deliver of watching) deliver(message);
    for (const deliver of everything) deliver(message);
  }
}
