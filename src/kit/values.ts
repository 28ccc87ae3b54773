// Small helpers: lazy values, caches by key, error codes.

/** Builds a value on first use. Schemas are built this way, so that importing the package costs next to nothing. */
export const once = <T>(build: () => T): (() => T) => {
  let built: { value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
};

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

/** Caches the results of a function by key. */
export const cachedByKey = <Key, Value>(get: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: get(key) };
    known.set(key, found);
    return found.value;
  };
};

/** The members that are not `undefined`. */
export const definedMembersOf = <Value>(members: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** Key of a method that copies an instance whose class has private state. */
export const ownCopy: unique symbol = Symbol.for('hookwright.own-copy');

interface CopiesItself {
  /** `copyOf` copies one member. */
  [ownCopy](copyOf: (member: unknown) => unknown): unknown;
}

export const copiesItself = (value: object): value is CopiesItself => ownCopy in value;

/** Whether two lists have identical items in the same order. */
export const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The code of a system error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether an error means that the file does not exist. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
