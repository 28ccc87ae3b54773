// Waits for event loop turns, time limits and abort signals.

/** Twice as fast as Node's `queueMicrotask`, which creates an `AsyncResource`. */
export const runInMicrotask = (callback: () => void): void => {
  void resolvedPromise.then(callback);
};

const resolvedPromise = Promise.resolve();

export const waitForNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves with `undefined` after the time limit; the work itself goes on. */
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

/** Call and await the returned function after each step of long work. It lets other work run every 10 ms. */
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
 * After the event loop was blocked, timers run before pending I/O. Two turns let a result that arrived in time be seen
 * before a timeout is handled.
 */
export const afterSettling = (callback: () => void): void => {
  setImmediate(() => setImmediate(callback));
};

const LARGE_LENGTH = 65_536;

let lastPromise = Promise.resolve();

/**
 * Resolves one turn per large output, so that several large outputs do not block other work. `undefined` for a small
 * output.
 */
export const waitForTurn = (length: number): Promise<void> | undefined => {
  if (length <= LARGE_LENGTH) return undefined;
  lastPromise = lastPromise.then(waitForNextTurn);
  return lastPromise;
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
 * Calls back once, unless the returned function is called before. All callbacks of a signal share one listener, because
 * Node warns of a memory leak above ten listeners.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const { callbacks, listener } = callbacksOf.get(signal) ?? listenTo(signal);
  const entry = (): void => callback();
  callbacks.add(entry);
  return () => {
    if (!callbacks.delete(entry) || callbacks.size > 0 || callbacksOf.get(signal)?.callbacks !== callbacks) return;
    callbacksOf.delete(signal);
    signal.removeEventListener('abort', listener);
  };
};
