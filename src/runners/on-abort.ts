interface Audience {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const audiences = new WeakMap<AbortSignal, Audience>();

const createAudience = (signal: AbortSignal): Audience => {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    audiences.delete(signal);
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener('abort', listener, { once: true });
  const audience = { callbacks, listener };
  audiences.set(signal, audience);
  return audience;
};

/**
 * Calls back when the signal aborts, until the returned function is called. However many ask, the signal carries one
 * listener: Node warns of a leak from the eleventh on.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const audience = audiences.get(signal) ?? createAudience(signal);
  const { callbacks, listener } = audience;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || audiences.get(signal) !== audience) return;
    audiences.delete(signal);
    signal.removeEventListener('abort', listener);
  };
};
