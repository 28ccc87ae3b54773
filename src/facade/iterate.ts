import type { Observable } from 'rxjs';
import { HookwrightError } from '../errors.ts';

/** A reader this far behind has stopped reading. */
const MAX_BEHIND = 10_000;

/**
 * A stream as an async iterator, from now on. Items that come faster than they are read wait; a reader that falls too
 * far behind gets an error rather than gaps.
 */
export const iterate = <T>(stream: Observable<T>): AsyncIterableIterator<T> => {
  const waiting: T[] = [];
  let wanted: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void } | undefined;
  let end: { error?: unknown } | undefined;

  const finish = (how: { error?: unknown }): void => {
    end ??= how;
    subscription.unsubscribe();
    if (wanted === undefined) return;
    if ('error' in end) wanted.reject(end.error);
    else wanted.resolve({ done: true, value: undefined });
    wanted = undefined;
  };

  const subscription = stream.subscribe({
    next: (value) => {
      if (wanted !== undefined) {
        wanted.resolve({ done: false, value });
        wanted = undefined;
      } else if (waiting.push(value) > MAX_BEHIND) {
        finish({ error: new HookwrightError('overloaded', `The reader fell ${MAX_BEHIND} messages behind`) });
      }
    },
    error: (error: unknown) => finish({ error }),
    complete: () => finish({}),
  });

  return {
    next: () => {
      const value = waiting.shift();
      if (value !== undefined) return Promise.resolve({ done: false, value });
      if (end !== undefined) {
        return 'error' in end ? Promise.reject(end.error) : Promise.resolve({ done: true, value: undefined });
      }
      return new Promise((resolve, reject) => {
        wanted = { resolve, reject };
      });
    },
    return: () => {
      waiting.length = 0;
      finish({});
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};
