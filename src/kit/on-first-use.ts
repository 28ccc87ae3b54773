type AsyncFunction = (...args: never[]) => Promise<unknown>;

/** Wraps an async function whose module is loaded at the first call. */
export function onFirstUse<F extends AsyncFunction>(load: () => Promise<F>): F;
export function onFirstUse(load: () => Promise<(...args: unknown[]) => Promise<unknown>>): AsyncFunction {
  let loaded: ((...args: unknown[]) => Promise<unknown>) | undefined;
  const loadAndCall = async (args: unknown[]): Promise<unknown> => {
    loaded = await load();
    return loaded(...args);
  };
  return (...args: unknown[]) => (loaded === undefined ? loadAndCall(args) : loaded(...args));
}
