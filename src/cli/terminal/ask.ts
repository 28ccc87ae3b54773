import { createInterface } from 'node:readline';

/** Reads what a person types, line by line. What is typed ahead answers the next question. */
export class Answers {
  readonly #lines: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #isOver = false;

  constructor(input: NodeJS.ReadableStream) {
    const lines = createInterface({ input, terminal: false });
    lines.on('line', (line) => {
      if (this.#waiting === undefined) this.#lines.push(line);
      else this.#answer(line);
    });
    lines.on('close', () => {
      this.#isOver = true;
      this.#answer(undefined);
    });
  }

  #answer(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }

  /** The next line; nothing when there will be none any more, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#isOver || signal.aborted) return Promise.resolve(line);
    return new Promise((resolve) => {
      const stop = (): void => this.#answer(undefined);
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting = (answer) => {
        signal.removeEventListener('abort', stop);
        resolve(answer);
      };
    });
  }
}
