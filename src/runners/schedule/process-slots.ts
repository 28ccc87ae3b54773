import { onAbort } from '../../kit/index.ts';

/** Permission to start processes: so many of one engine run at once, the others wait in the order in which they came. */
class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Works when there is a slot. If the signal aborts before that, `refuse` answers at once instead. */
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
 * Functions and requests need no slot, so that no guard in this process waits behind slow commands. Each level of nesting has
 * slots of its own: a hook that waits for the hooks of an event it fired must not hold the slot they are waiting for.
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
