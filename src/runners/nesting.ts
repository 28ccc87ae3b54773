import { AsyncLocalStorage } from 'node:async_hooks';
import { Limiter } from './limiter.ts';

/** A hook that fires an event whose hook fires an event … is stopped here. */
export const MAX_NESTING = 16;

const nesting = new AsyncLocalStorage<number>();

/** How many function hooks are around the code that asks. */
export const nestingDepth = (): number => nesting.getStore() ?? 0;

/** Runs a function hook one level deeper, including everything it awaits. */
export const runNested = <Args extends readonly unknown[], T>(
  depth: number,
  run: (...args: Args) => T,
  ...args: Args
): T => nesting.run(depth + 1, run, ...args);

/**
 * One limiter for each level of nesting: a hook that waits for the hooks of an event it fired must not hold the place
 * they are waiting for.
 */
export class NestedLimiters {
  readonly #places: number;
  readonly #levels: Limiter[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  at(depth: number): Limiter {
    let limiter = this.#levels[depth];
    if (limiter === undefined) {
      limiter = new Limiter(this.#places);
      this.#levels[depth] = limiter;
    }
    return limiter;
  }
}
