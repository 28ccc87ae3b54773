// Reads the lines that a user types in a terminal.
import { createInterface, type Interface } from 'node:readline';

/** A line that the user types before a question is shown answers the next question. */
export class TerminalLines {
  readonly #lines: string[] = [];
  readonly #reader: Interface;
  #waiting: ((line: string | undefined) => void) | undefined;
  #isOver = false;

  constructor(input: NodeJS.ReadableStream) {
    this.#reader = createInterface({ input, terminal: false });
    this.#reader.on('line', (line) => {
      if (this.#waiting === undefined) this.#lines.push(line);
      else this.#answer(line);
    });
    this.#reader.on('close', () => {
      this.#isOver = true;
      this.#answer(undefined);
    });
  }

  #answer(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }

  clear(): void {
    this.#lines.length = 0;
  }

  close(): void {
    this.#reader.close();
  }

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

export const isCiEnvironment = ({ CI }: Readonly<Record<string, string | undefined>>): boolean =>
  CI !== undefined && CI !== '' && CI !== '0' && CI.toLowerCase() !== 'false';
