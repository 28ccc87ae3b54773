// Waits for event loop turns, time limits and abort signals.

/** The longest delay of a timer. A longer one overflows, and the timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A resolved promise is twice as fast as Node's `queueMicrotask`, which creates an `AsyncResource`. */
export const runInMicrotask = (callback: () => void): void => {
  void resolvedPromise.then(callback);
};

const resolvedPromise = Promise.resolve();

export const waitForNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves with `undefined` after the time limit; the work continues. */
export const waitWithinMs = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
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

/** Returns a function to call and await after each step of long work, so that other work can run every 10 ms. */
export const createSlicer = (): (() => Promise<void> | undefined) => {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return waitForNextTurn().then(() => {
      since = performance.now();
    });
  };
};

/**
 * If the event loop was blocked, timers run before pending I/O. A timeout handled two turns later sees the results that
 * arrived in time.
 */
export const callAfterTwoTurns = (callback: () => void): void => {
  setImmediate(() => setImmediate(callback));
};

const MAX_SMALL_OUTPUT_LENGTH = 65_536;

let lastLargeTurn = Promise.resolve();

/**
 * Gives each large output its own turn of the event loop, so that several of them do not block other work. Returns
 * `undefined` for a small output.
 */
export const waitForTurnIfLarge = (length: number): Promise<void> | undefined => {
  if (length <= MAX_SMALL_OUTPUT_LENGTH) return undefined;
  lastLargeTurn = lastLargeTurn.then(waitForNextTurn);
  return lastLargeTurn;
};

const callbacksBySignal = new WeakMap<
  AbortSignal,
  { readonly callbacks: Set<() => void>; readonly listener: () => void }
>();

const listenToAbort = (signal: AbortSignal) => {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    callbacksBySignal.delete(signal);
    for (const callback of callbacks) callback();
  };
  const listening = { callbacks, listener };
  callbacksBySignal.set(signal, listening);
  signal.addEventListener('abort', listener, { once: true });
  return listening;
};

/**
 * Calls back once, unless the returned function is called before the abort. All callbacks of a signal share one
 * listener, because Node warns of a memory leak above ten listeners.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const { callbacks, listener } = callbacksBySignal.get(signal) ?? listenToAbort(signal);
  const entry = (): void => callback();
  callbacks.add(entry);
  return () => {
    if (!callbacks.delete(entry) || callbacks.size > 0 || callbacksBySignal.get(signal)?.callbacks !== callbacks)
      return;
    callbacksBySignal.delete(signal);
    signal.removeEventListener('abort', listener);
  };
};
