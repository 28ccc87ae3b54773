import type { HookMessage, MessageBusType } from '../protocol/index.ts';
import type { Channel, Role, Transport } from './transport.ts';

type Deliver = (message: unknown) => void;
type Receivers = Readonly<Record<Role, readonly Deliver[]>>;

const noReceivers: Receivers = { server: [], requester: [], watcher: [] };

/**
 * Carries messages within one process: of one bus, as every `MessageBus` has it by itself, or of several that are given the
 * same one. Delivers before `publish` returns; what is published meanwhile waits, so that all buses see one order.
 */
export class MemoryTransport implements Transport {
  readonly features = { inline: true, knowsListeners: true } as const;
  /** Lists are replaced, never changed: who comes or goes during a delivery does not disturb it. */
  readonly #receivers = new Map<Channel, Receivers>();
  readonly #waiting: { readonly type: MessageBusType; readonly message: HookMessage }[] = [];
  #isBusy = false;

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

  receive(channel: Channel, role: Role, deliver: Deliver): () => void {
    // A wrapper of its own: the same function may receive twice.
    const receiver: Deliver = (message) => {
      if (isActive) deliver(message);
    };
    let isActive = true;
    this.#change(channel, role, (receivers) => [...receivers, receiver]);
    return () => {
      if (!isActive) return;
      isActive = false;
      this.#change(channel, role, (receivers) => receivers.filter((other) => other !== receiver));
    };
  }

  hears(channel: Channel, role: Role): boolean {
    return (this.#receivers.get(channel) ?? noReceivers)[role].length > 0;
  }

  close(): void {
    this.#receivers.clear();
  }

  #change(channel: Channel, role: Role, change: (receivers: readonly Deliver[]) => readonly Deliver[]): void {
    const receivers = this.#receivers.get(channel) ?? noReceivers;
    this.#receivers.set(channel, { ...receivers, [role]: change(receivers[role]) });
  }

  #deliver(type: MessageBusType, message: HookMessage): void {
    const { requester, server, watcher } = this.#receivers.get(type) ?? noReceivers;
    const everything = (this.#receivers.get('*') ?? noReceivers).watcher;
    for (const deliver of requester) deliver(message);
    server[0]?.(message);
    for (const deliver of watcher) deliver(message);
    for (const deliver of everything) deliver(message);
  }
}
