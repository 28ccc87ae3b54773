import type { Socket } from 'node:net';

/** As much as waits for one reader; what comes on top is dropped and counted. */
const MAX_UNREAD_BYTES = 4 * 2 ** 20;

/** How long a reader may take to read what is left. */
const PATIENCE_MS = 500;

/** One connection. It is written to as long as it reads, and never waited for. */
export class TapReader {
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

  /** Messages that nobody will see must not be missed in silence. */
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
    // Whoever waits for this must not find that nothing keeps the process alive any more.
    this.#socket.ref();
    this.#socket.end();
    const patience = setTimeout(() => this.#socket.destroy(), PATIENCE_MS);
    await this.#gone;
    clearTimeout(patience);
  }
}
