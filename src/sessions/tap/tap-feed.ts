// Sends the messages of a bus as session lines to the readers that are connected to a tap.
import type { Socket } from 'node:net';
import type { Subscription } from 'rxjs';
import type { Bus } from '../../bus/index.ts';
import { createId } from '../../bus/internal.ts';
import { omitUndefined } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';
import {
  callAtExit,
  createSessionHeader,
  type EncodedMessage,
  EncodingQueue,
  encodeHeader,
  Redactor,
} from '../index.ts';

/** Limit of messages waiting to be encoded. Further messages are dropped and counted. */
const MAX_WAITING_MESSAGES = 10_000;

/**
 * Sends a header line, a line per message, and `{"dropped": n}` in place of dropped messages. Subscribes to the bus
 * only while a reader is connected, because a bus with listeners does more work.
 */
export class TapFeed {
  readonly #bus: Bus;
  readonly #header: string;
  readonly #readers = new Set<TapReader>();
  readonly #queue: EncodingQueue;
  readonly #forgetExit: () => void;
  #dropped = 0;
  #subscription: Subscription | undefined;

  constructor(bus: Bus, name: string | undefined) {
    this.#bus = bus;
    const header = createSessionHeader(new Date(), { session: createId(), redacted: true });
    this.#header = encodeHeader({ ...header, pid: process.pid, ...omitUndefined({ name }) });
    this.#queue = new EncodingQueue(new Redactor(), {
      take: (encoded) => this.#send(encoded),
      rest: () => this.#reportDropped(),
    });
    this.#forgetExit = callAtExit(() => this.#queue.takeAll());
  }

  readonly add = (socket: Socket): void => {
    const reader: TapReader = new TapReader(socket, () => this.#remove(reader));
    reader.send(this.#header);
    this.#readers.add(reader);
    this.#subscription ??= this.#bus.stream().subscribe((message) => this.#receive(message));
  };

  #remove(reader: TapReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#stop();
    this.#queue.clear();
  }

  #receive(message: HookMessage): void {
    if (this.#queue.size >= MAX_WAITING_MESSAGES) this.#dropped += 1;
    else this.#queue.add(message);
  }

  #send(encoded: EncodedMessage): void {
    for (const reader of this.#readers) {
      if (encoded.ok) reader.send(encoded.line);
      else reader.drop(1);
    }
  }

  #reportDropped(): void {
    if (this.#queue.size > 0 || this.#dropped === 0) return;
    for (const reader of this.#readers) reader.drop(this.#dropped);
    this.#dropped = 0;
  }

  #stop(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
  }

  async close(): Promise<void> {
    this.#forgetExit();
    this.#queue.takeAll();
    this.#stop();
    await Promise.all([...this.#readers].map((reader) => reader.end()));
  }
}

/** Limit of unread bytes per reader. Further lines are dropped and counted. */
const MAX_UNREAD_BYTES = 4 * 2 ** 20;

/** Milliseconds that a reader has to read the last lines before it is disconnected. */
const MAX_LAST_LINES_WAIT_MS = 500;

class TapReader {
  readonly #socket: Socket;
  readonly #gone: Promise<void>;
  #dropped = 0;

  constructor(socket: Socket, onGone: () => void) {
    this.#socket = socket;
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.unref();
    // Node emits `end` only after all input was read.
    socket.resume();
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => this.#reportDropped());
    socket.on('close', onGone);
  }

  send(line: string): void {
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#reportDropped();
    this.#socket.write(line);
  }

  drop(count: number): void {
    this.#dropped += count;
  }

  #reportDropped(): void {
    if (this.#dropped === 0 || this.#socket.writableLength > MAX_UNREAD_BYTES) return;
    this.#socket.write(`${JSON.stringify({ dropped: this.#dropped })}\n`);
    this.#dropped = 0;
  }

  async end(): Promise<void> {
    this.#reportDropped();
    // Keeps the process alive while the caller waits for the last lines to be sent.
    this.#socket.ref();
    this.#socket.end();
    const timer = setTimeout(() => this.#socket.destroy(), MAX_LAST_LINES_WAIT_MS);
    await this.#gone;
    clearTimeout(timer);
  }
}
