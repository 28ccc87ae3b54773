import type { Socket } from 'node:net';
import type { Subscription } from 'rxjs';
import type { Bus } from '../../bus/index.ts';
import { createId } from '../../bus/internal.ts';
import { visibleJson } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';
import { atExit, encode, Redactor, SESSION_VERSION, snapshot } from '../index.ts';

/** Messages that wait to be written as JSON. One more than that is dropped, and told. */
const MAX_WAITING = 10_000;
/** How long writing may hold up a turn of the event loop. */
const SLICE_MS = 4;

interface Waiting {
  readonly at: number;
  readonly message: HookMessage;
}

/**
 * What a bus delivers, as lines of a session for the connected readers: a header, then a line for each message, and
 * `{"dropped": n}` where messages had to be left out. Listens to the bus only while there is a reader. Publishers wait
 * for nothing: a message is noted, and written in a later turn of the event loop.
 */
export class TapFeed {
  readonly #bus: Bus;
  readonly #name: string | undefined;
  readonly #redactor = new Redactor(undefined);
  readonly #startedAt = new Date();
  readonly #origin = performance.now();
  readonly #session = createId();
  readonly #readers = new Set<TapReader>();
  readonly #forgetExit: () => void;
  #waiting: Waiting[] = [];
  #dropped = 0;
  #isScheduled = false;
  #subscription: Subscription | undefined;

  constructor(bus: Bus, name: string | undefined) {
    this.#bus = bus;
    this.#name = name;
    this.#forgetExit = atExit(() => this.#write(Number.POSITIVE_INFINITY));
  }

  readonly add = (socket: Socket): void => {
    const reader: TapReader = new TapReader(socket, () => this.#remove(reader));
    reader.send(this.#header());
    this.#readers.add(reader);
    this.#subscription ??= this.#bus.stream().subscribe((message) => this.#receive(message));
  };

  #header(): string {
    const header = { hookwright: 'session', version: SESSION_VERSION, startedAt: this.#startedAt.toISOString() };
    const about = { part: 1, session: this.#session, redacted: true, pid: process.pid };
    const named = this.#name === undefined ? {} : { name: this.#name };
    return `${visibleJson(JSON.stringify({ ...header, ...about, ...named }))}\n`;
  }

  #remove(reader: TapReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    this.#waiting = [];
  }

  #receive(message: HookMessage): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({ at: performance.now() - this.#origin, message: snapshot(message) });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#write(performance.now() + SLICE_MS);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #write(until: number): void {
    let taken = 0;
    for (const { at, message } of this.#waiting) {
      taken += 1;
      this.#send(at, message);
      if (performance.now() > until) break;
    }
    this.#waiting = this.#waiting.slice(taken);
    if (this.#waiting.length > 0 || this.#dropped === 0) return;
    for (const reader of this.#readers) reader.drop(this.#dropped);
    this.#dropped = 0;
  }

  #send(at: number, message: HookMessage): void {
    const encoded = encode(Math.round(at * 1_000) / 1_000, message, this.#redactor);
    for (const reader of this.#readers) {
      if (encoded.ok) reader.send(encoded.line);
      else reader.drop(1);
    }
  }

  /** Sends what waits, and resolves when the readers are gone. */
  async close(): Promise<void> {
    this.#forgetExit();
    this.#write(Number.POSITIVE_INFINITY);
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    await Promise.all([...this.#readers].map((reader) => reader.end()));
  }
}

/** As much as waits for one reader; what comes on top is dropped and counted. */
const MAX_UNREAD_BYTES = 4 * 2 ** 20;

/** How long a reader may take to read what is left. */
const PATIENCE_MS = 500;

/** One connection. It is written to as long as it reads, and never waited for. */
class TapReader {
  readonly #socket: Socket;
  readonly #gone: Promise<void>;
  #dropped = 0;

  constructor(socket: Socket, onGone: () => void) {
    this.#socket = socket;
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.unref();
    // What a reader sends is nothing to us, but has to be taken, or its end would never be seen.
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

  /** Lost messages must not be missed in silence. */
  drop(count: number): void {
    this.#dropped += count;
  }

  #reportDropped(): void {
    if (this.#dropped === 0 || this.#socket.writableLength > MAX_UNREAD_BYTES) return;
    this.#socket.write(`${JSON.stringify({ dropped: this.#dropped })}\n`);
    this.#dropped = 0;
  }

  /** Sends what waits and resolves when the reader is gone, which one that does not read any more is made to be. */
  async end(): Promise<void> {
    this.#reportDropped();
    // A caller that waits for this must not find that nothing keeps the process alive any more.
    this.#socket.ref();
    this.#socket.end();
    const patience = setTimeout(() => this.#socket.destroy(), PATIENCE_MS);
    await this.#gone;
    clearTimeout(patience);
  }
}
