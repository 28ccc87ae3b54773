// Turns of the event loop, time limits, and callbacks for abort signals.

/** Calls back in the next microtask. Node's `queueMicrotask` creates an `AsyncResource`, which takes twice as long. */
export const inMicrotask = (callback: () => void): void => {
  void resolved.then(callback);
};

const resolved = Promise.resolve();

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The result of a promise, or `undefined` after the time limit. The work itself continues. */
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

/** For long work in steps: call and await the returned function after each step, so that other work gets a turn. */
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
 * Calls back after two full turns of the event loop. After the loop was blocked, timers run before waiting events; a
 * result that arrived in time must be seen before it counts as late.
 */
export const afterSettling = (callback: () => void): void => {
  setImmediate(() => setImmediate(callback));
};

/** Reading larger outputs takes noticeable time. */
const LARGE = 65_536;

let last = Promise.resolve();

/** Resolves in a later turn of the event loop for a large output, so that several of them do not block other work. */
export const waitForTurn = (length: number): Promise<void> | undefined => {
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
 * Calls back once when the signal aborts, unless the returned function is called first. All callbacks of a signal share
 * one listener, since Node warns of a leak above ten.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const { callbacks, listener } = callbacksOf.get(signal) ?? listenTo(signal);
  // A new function, so that one callback can be registered twice.
  const entry = (): void => callback();
  callbacks.add(entry);
  return () => {
    if (!callbacks.delete(entry) || callbacks.size > 0 || callbacksOf.get(signal)?.callbacks !== callbacks) return;
    callbacksOf.delete(signal);
    signal.removeEventListener('abort', listener);
  };
};
