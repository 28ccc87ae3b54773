import { type Observable, Subscription } from 'rxjs';
import { HookwrightError } from '../errors.ts';

/** A reader this far behind has stopped reading. */
const MAX_BEHIND = 10_000;

interface Reader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const done = { done: true, value: undefined } as const;

/**
 * A stream as an async iterator, from now on. Items that come faster than they are read wait; a reader that falls too
 * far behind gets an error rather than gaps.
 */
export const iterate = <T>(stream: Observable<T>): AsyncIterableIterator<T, undefined> => {
  const items: IteratorYieldResult<T>[] = [];
  const readers: Reader<T>[] = [];
  const subscription = new Subscription();
  let end: { readonly failed: boolean; readonly error?: unknown } | undefined;

  const finish = (how: { readonly failed: boolean; readonly error?: unknown }): void => {
    end ??= how;
    subscription.unsubscribe();
    for (const { resolve, reject } of readers.splice(0)) {
      if (end.failed) reject(end.error);
      else resolve(done);
    }
  };

  // The stream may end before `subscribe` returns: what is added to an ended subscription ends at once.
  const started = stream.subscribe({
    next: (value) => {
      const item = { done: false, value } as const;
      const reader = readers.shift();
      if (reader !== undefined) reader.resolve(item);
      else if (items.length < MAX_BEHIND) items.push(item);
      else finish({ failed: true, error: new HookwrightError('overloaded', tooFarBehind) });
    },
    error: (error: unknown) => finish({ failed: true, error }),
    complete: () => finish({ failed: false }),
  });
  subscription.add(started);

  return {
    next: () =>
      new Promise((resolve, reject) => {
        const item = items.shift();
        if (item !== undefined) resolve(item);
        else if (end === undefined) readers.push({ resolve, reject });
        else if (end.failed) reject(end.error);
        else resolve(done);
      }),
    return: () => {
      items.length = 0;
      finish({ failed: false });
      return Promise.resolve(done);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

const tooFarBehind = `The reader fell ${MAX_BEHIND} messages behind`;
