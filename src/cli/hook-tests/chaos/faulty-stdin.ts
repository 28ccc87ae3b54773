import { Writable } from 'node:stream';

const PIECES = 20;

/**
 * Stands in front of the real stdin of a child: it takes the input as the engine writes it, and hands it on in its own
 * way. When it is destroyed, so is the pipe behind it.
 */
export class FaultyStdin extends Writable {
  readonly #pipe: Writable;
  readonly #how: 'held-open' | 'slow';
  /** How long writing bit by bit may take. */
  readonly #durationMs: number;
  readonly #pieces: Buffer[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pipe: Writable, how: 'held-open' | 'slow', durationMs: number) {
    // Once it has taken the whole input, it is not done.
    super({ autoDestroy: false });
    this.#pipe = pipe;
    this.#how = how;
    this.#durationMs = durationMs;
    // A child need not read its input, and breaks the pipe then.
    pipe.on('error', () => this.destroy());
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  override _final(done: () => void): void {
    const input = Buffer.concat(this.#pieces);
    done();
    if (this.#how === 'held-open') this.#pipe.write(input);
    else this.#writeSlowly(input);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#timer);
    this.#pipe.destroy();
    done(error);
  }

  #writeSlowly(input: Buffer): void {
    const size = Math.max(1, Math.ceil(input.length / PIECES));
    let at = 0;
    this.#timer = setInterval(() => {
      if (at < input.length) this.#pipe.write(input.subarray(at, at + size));
      else {
        clearInterval(this.#timer);
        this.#pipe.end();
      }
      at += size;
    }, this.#durationMs / PIECES);
  }
}
