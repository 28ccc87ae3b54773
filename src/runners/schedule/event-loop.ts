import { nextTurn } from '../../kit/index.ts';

/**
 * Calls back after the loop has had two full turns. A timer that fires late, because something held the loop, fires
 * before events that are already waiting; what finished in time must be seen before it is called late.
 */
export const afterSettling = (callback: () => void): void => {
  setImmediate(() => setImmediate(callback));
};

/** Output beyond this takes a while to read. */
const LARGE = 65_536;

let last = Promise.resolve();

/** Large outputs that arrive together are read one a turn, so that other work gets its turn in between. */
export const turnFor = (length: number): Promise<void> | undefined => {
  if (length <= LARGE) return undefined;
  last = last.then(nextTurn);
  return last;
};
