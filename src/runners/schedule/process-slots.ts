/** Limits how many processes of one engine run at once. */
import { onAbort } from '../../kit/index.ts';

class SlotQueue {
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
 * A slot is the permission to start a process. Function hooks need none, so they never wait for slow commands. Events
 * that a hook fires have slots of their own, because the hook keeps its slot while it waits for their hooks.
 */
export class ProcessSlots {
  readonly #atOnce: number;
  readonly #levels: SlotQueue[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  at(depth: number): SlotQueue {
    this.#levels[depth] ??= new SlotQueue(this.#atOnce);
    return this.#levels[depth];
  }
}
