/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SLICE_MS = 10;

/** For long work in steps: between two of them others get a turn whenever the work has gone on for a while. */
export const inSlices = (): (() => Promise<void> | undefined) => {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
};

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
