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
