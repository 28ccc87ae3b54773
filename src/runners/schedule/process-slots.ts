/** Limits how many processes of one engine run at once. */
import { onAbort } from '../../kit/index.ts';

class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  take<T>(signal: AbortSignal, work: () => T | Promise<T>, refuse: () => T): Promise<T> {
    if (this.#free > 0) return this.#occupy(work);
    return new Promise((resolve) => {
      const start = (): void => {
        stopListening();
        resolve(this.#occupy(work));
      };
      const stopListening = onAbort(signal, () => {
        this.#waiting.delete(start);
        resolve(refuse());
      });
      this.#waiting.add(start);
    });
  }

  async #occupy<T>(work: () => T | Promise<T>): Promise<T> {
    this.#free -= 1;
    try {
      return await work();
    } finally {
      this.#free += 1;
      const [next] = this.#waiting;
      if (next !== undefined) {
        this.#waiting.delete(next);
        next();
      }
    }
  }
}

/**
 * Only processes need slots, so a guard that runs in this process never waits behind slow commands. Each nesting level
 * has its own slots: a hook that waits for the hooks of an event it fired must not hold the slot they need.
 */
export class ProcessSlots {
  readonly #atOnce: number;
  readonly #levels: Slots[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  at(depth: number): Slots {
    this.#levels[depth] ??= new Slots(this.#atOnce);
    return this.#levels[depth];
  }
}
