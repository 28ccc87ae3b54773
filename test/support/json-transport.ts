import {
  type Channel,
  decodeMessage,
  encodeMessage,
  type Role,
  type Transport,
  type TransportFeatures,
} from '../../src/index.ts';

interface Receiver {
  readonly channel: Channel;
  readonly role: Role;
  readonly deliver: (message: unknown) => void;
}

/**
 * What joins processes behaves like this: messages are text on the way, arrive in a later turn, and nobody knows who
 * listens at the other end.
 */
export class JsonTransport implements Transport {
  readonly features: TransportFeatures = { inline: false, knowsListeners: false };
  #receivers: readonly Receiver[] = [];
  #report: (error: unknown) => void = () => {};
  #isClosed = false;

  publish(type: string, message: Parameters<Transport['publish']>[1]): void {
    const text = encodeMessage(message);
    setImmediate(() => this.arrive(type, text));
  }

  /** Something comes from the other end. */
  arrive(type: string, text: string): void {
    if (this.#isClosed) return;
    try {
      const receivers = this.#receivers.filter(({ channel }) => channel === type || channel === '*');
      const server = receivers.find(({ role }) => role === 'server');
      const all = [...receivers.filter(({ role }) => role !== 'server'), ...(server === undefined ? [] : [server])];
      for (const { deliver } of all) deliver(decodeMessage(text));
    } catch (error) {
      this.#report(error);
    }
  }

  receive(channel: Channel, role: Role, deliver: (message: unknown) => void): () => void {
    const receiver = { channel, role, deliver };
    this.#receivers = [...this.#receivers, receiver];
    return () => {
      this.#receivers = this.#receivers.filter((other) => other !== receiver);
    };
  }

  hears(): boolean {
    return true;
  }

  onError(listener: (error: unknown) => void): void {
    this.#report = listener;
  }

  close(): void {
    this.#isClosed = true;
  }
}
