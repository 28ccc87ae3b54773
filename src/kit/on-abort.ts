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
