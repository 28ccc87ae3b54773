import type { ChildProcess } from 'node:child_process';
import { encodeMessage, type HookMessage } from '../../src/index.ts';
import { JsonTransport } from './json-transport.ts';

const isParcel = (value: unknown): value is readonly [type: string, text: string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');

/** One end of a pipe between two processes: what is published here arrives there, as text. */
export class IpcTransport extends JsonTransport {
  readonly #peer: Pick<ChildProcess, 'send' | 'on'> | NodeJS.Process;

  constructor(peer: Pick<ChildProcess, 'send' | 'on'> | NodeJS.Process) {
    super();
    this.#peer = peer;
    peer.on('message', (parcel: unknown) => {
      if (isParcel(parcel)) this.arrive(...parcel);
    });
  }

  override publish(type: string, message: HookMessage): void {
    const text = encodeMessage(message);
    this.#peer.send?.([type, text]);
  }
}
