type AsyncFunction = (...args: never[]) => Promise<unknown>;

/** A function that is loaded at its first call. Later calls cost nothing more. */
export function onFirstUse<F extends AsyncFunction>(load: () => Promise<F>): F;
export function onFirstUse(load: () => Promise<(...args: unknown[]) => Promise<unknown>>): AsyncFunction {
  let loaded: ((...args: unknown[]) => Promise<unknown>) | undefined;
  const loadAndCall = async (args: unknown[]): Promise<unknown> => {
    loaded = await load();
    return loaded(...args);
  };
  return (...args: unknown[]) => (loaded === undefined ? loadAndCall(args) : loaded(...args));
}
