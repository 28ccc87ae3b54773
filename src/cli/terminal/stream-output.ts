import type { Writable } from 'node:stream';

/** Writes to a stream that may be closed by its reader at any time, as `| head` does. */
export class Output {
  readonly #stream: Writable;
  #isClosed = false;

  constructor(stream: Writable, onClosed: () => void) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Any other failure of a terminal or a file is nothing that could be told there.
      this.#isClosed = true;
      if (error.code === 'EPIPE') onClosed();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(text: string): void {
    if (!this.#isClosed && text !== '') this.#stream.write(text);
  }

  /** Resolves when everything has been handed on, or will never be. */
  flush(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.write('', () => resolve());
    });
  }
}
