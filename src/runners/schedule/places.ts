import { mergeMap, Subject } from 'rxjs';
import { onAbort } from '../../kit/index.ts';

/**
 * The places for processes of one engine: so many run at once, the others wait in the order in which they came. Functions
 * and requests need no place, so that no guard in this process waits behind slow commands.
 */
export class Places {
  readonly #jobs = new Subject<() => Promise<void>>();

  constructor(atOnce: number) {
    this.#jobs.pipe(mergeMap((job) => job(), atOnce)).subscribe();
  }

  /** Does the work when there is a place. When the signal aborts before that, `refuse` answers at once instead. */
  take<T>(signal: AbortSignal, work: () => T | Promise<T>, refuse: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const stopListening = onAbort(signal, () => {
        isWaiting = false;
        resolve(refuse());
      });
      this.#jobs.next(async () => {
        if (!isWaiting) return;
        stopListening();
        // The place is given away after this, whatever came of the work: a job that rejects would end all others.
        await Promise.resolve(work()).then(resolve, reject);
      });
    });
  }
}

/**
 * Places of their own for each level of nesting: a hook that waits for the hooks of an event it fired must not hold the
 * place they are waiting for.
 */
export class NestedPlaces {
  readonly #atOnce: number;
  readonly #levels: Places[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  at(depth: number): Places {
    this.#levels[depth] ??= new Places(this.#atOnce);
    return this.#levels[depth];
  }
}
