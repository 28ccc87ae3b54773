/** Turns of the event loop, time limits, and callbacks on an abort signal. */

/** Calls back in the next microtask. `queueMicrotask` of Node makes an `AsyncResource` each time, which takes twice as long. */
export const inMicrotask = (callback: () => void): void => {
  void resolved.then(callback);
};

const resolved = Promise.resolve();

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What work comes to, or `undefined` if that takes longer; the work itself is not ended. */
export const withinMs = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeIsUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
};

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

const callbacksOf = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly listener: () => void }>();

const listenTo = (signal: AbortSignal) => {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    callbacksOf.delete(signal);
    for (const callback of callbacks) callback();
  };
  const listening = { callbacks, listener };
  callbacksOf.set(signal, listening);
  signal.addEventListener('abort', listener, { once: true });
  return listening;
};

/**
 * Calls back once when the signal aborts, unless the returned function was called before. A signal that serves
 * thousands of requests carries one listener, and none after the last: Node warns of a leak from the eleventh on.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const { callbacks, listener } = callbacksOf.get(signal) ?? listenTo(signal);
  // A function of its own, so that the same callback can wait twice.
  const entry = (): void => callback();
  callbacks.add(entry);
  return () => {
    if (!callbacks.delete(entry) || callbacks.size > 0 || callbacksOf.get(signal)?.callbacks !== callbacks) return;
    callbacksOf.delete(signal);
    signal.removeEventListener('abort', listener);
  };
};
