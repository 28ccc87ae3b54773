import type { Readable, Writable } from 'node:stream';
import { RecordedLineSplitter } from '../../../sessions/index.ts';
import { cancelledBy, errorMessage, type McpEnvelope, type Misfit, readEnvelopes, writeMessage } from './envelope.ts';
import { type CallParts, HookedCalls, keyOf } from './hooked-calls.ts';

/** A picture in a message is long; more than this in one message is not MCP. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

export interface ProxyParts extends CallParts {
  readonly toServer: Writable;
  readonly toClient: Writable;
}

/** A process has one session. */
const idKey = (id: unknown): string => keyOf('', id);

/** Passes messages on between a client and a server, a line each, and asks hooks about the calls of tools among them. */
export class StdioProxy {
  readonly #parts: ProxyParts;
  readonly #calls: HookedCalls;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
    this.#calls = new HookedCalls(parts);
  }

  /** Resolves when the client has ended and all that it sent was passed on. */
  async readClient(from: Readable): Promise<void> {
    await this.#read(from, 'client', (envelope) => this.#fromClient(envelope));
    await this.#calls.decided();
  }

  /** Resolves when the server has ended and the client knows what became of its calls. */
  async readServer(from: Readable): Promise<void> {
    await this.#read(from, 'server', (envelope) => this.#fromServer(envelope));
    await this.#calls.end(new Error('the server ended before it answered'));
  }

  async #read(from: Readable, side: string, take: (envelope: McpEnvelope | Misfit) => void): Promise<void> {
    const splitter = new RecordedLineSplitter(MAX_MESSAGE_BYTES);
    for await (const piece of from) {
      for (const { text } of splitter.push(Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)))) {
        if (text === undefined) throw new Error(`the ${side} sent more than ${MAX_MESSAGE_BYTES} bytes in one message`);
        if (text.trim() !== '') for (const envelope of readEnvelopes(text)) take(envelope);
      }
    }
  }

  #fromClient(envelope: McpEnvelope | Misfit): void {
    if (envelope.kind === 'misfit') {
      this.#tellClient(errorMessage(envelope.id, envelope.code, envelope.message));
    } else if (envelope.kind === 'request') {
      const answer = this.#calls.open(idKey(envelope.id), envelope, (changed) => this.#tellServer(changed));
      if (typeof answer === 'string') this.#tellClient(answer);
      else void answer?.then((told) => this.#tellClient(told));
    } else {
      if (envelope.kind === 'notification') this.#calls.cancel(idKey(cancelledBy(envelope)));
      this.#tellServer(writeMessage(envelope.raw));
    }
  }

  #fromServer(envelope: McpEnvelope | Misfit): void {
    if (envelope.kind === 'misfit') this.#dropped(envelope);
    else if (envelope.kind !== 'answer' || envelope.id === undefined) this.#tellClient(writeMessage(envelope.raw));
    else {
      const settled = this.#calls.answered(idKey(envelope.id), envelope);
      // What a call is answered with is told by the hooks that see it.
      if (settled?.kind === 'text') this.#tellClient(settled.text);
      if (settled === undefined) this.#parts.note('an answer of the server to no open request was dropped');
    }
  }

  #dropped({ id, message }: Misfit): void {
    this.#parts.note(`a message of the server was not passed on: ${message}`);
    if (id !== undefined) this.#calls.failed(idKey(id), new Error(`the server answered wrongly: ${message}`));
  }

  #tellServer(text: string): void {
    this.#parts.toServer.write(`${text}\n`);
  }

  #tellClient(text: string | undefined): void {
    if (text !== undefined) this.#parts.toClient.write(`${text}\n`);
  }
}
