import type { Readable, Writable } from 'node:stream';
import { isRecord, parseJson } from '../../../kit/index.ts';
import { LineSplitter } from '../../../recorder/internal.ts';
import { type CallParts, cancelledBy, HookedCalls, isAnswer, isToolCall, keyOf, type Message } from './hooked-calls.ts';

/** A picture in a message is long; whoever sends more than this in one does not talk MCP. */
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
  #initializeKey: string | undefined;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
    this.#calls = new HookedCalls(parts);
  }

  /** Reads one side until it ends. */
  async read(from: Readable, side: 'client' | 'server'): Promise<void> {
    const splitter = new LineSplitter(MAX_MESSAGE_BYTES);
    for await (const piece of from) {
      for (const { text } of splitter.push(Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)))) {
        if (text === undefined) throw new Error(`the ${side} sent more than ${MAX_MESSAGE_BYTES} bytes in one message`);
        if (text.trim() !== '') this.#take(text, side);
      }
    }
  }

  #take(text: string, side: 'client' | 'server'): void {
    const read = parseJson(text);
    const take = (message: unknown, line: string): void =>
      side === 'client' ? this.#fromClient(line, message) : this.#fromServer(line, message);
    // Older releases of the protocol know batches; a call among others is a call, and so is its answer.
    if (read.ok && Array.isArray(read.value)) for (const one of read.value) take(one, JSON.stringify(one));
    else take(read.ok ? read.value : undefined, text);
  }

  #fromClient(line: string, message: unknown): void {
    const { toServer } = this.#parts;
    if (isToolCall(message)) {
      const send = (changed: Message): void => this.#write(toServer, changed);
      void this.#calls.ask(idKey(message.id), message, send).then((answer) => {
        if (answer !== undefined) this.#write(this.#parts.toClient, answer);
      });
      return;
    }
    if (isRecord(message)) {
      if (message.method === 'initialize') this.#initializeKey = idKey(message.id);
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined) this.#calls.cancel(idKey(cancelled));
    }
    toServer.write(`${line}\n`);
  }

  #fromServer(line: string, message: unknown): void {
    if (isRecord(message) && isAnswer(message)) {
      const key = idKey(message.id);
      if (key === this.#initializeKey) this.#calls.learnName(message);
      // What a call is answered with is written by who asked hooks about it.
      if (this.#calls.answered(key, message) !== undefined) return;
    }
    this.#parts.toClient.write(`${line}\n`);
  }

  #write(to: Writable, message: Message): void {
    to.write(`${JSON.stringify(message)}\n`);
  }
}
