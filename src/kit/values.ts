// Small helpers for lazy values, caches by key, numbers and errors.
export type MaybePromise<T> = T | Promise<T>;

/** Returns `undefined` if the function throws. */
export const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

export const isPositiveNumber = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** Builds a value, such as a schema, on first use, so that importing the package stays fast. */
export const once = <T>(build: () => T): (() => T) => {
  let built: { value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
};

type AsyncFunction = (...args: never[]) => Promise<unknown>;

export function onFirstUse<F extends AsyncFunction>(load: () => Promise<F>): F;
export function onFirstUse(load: () => Promise<(...args: unknown[]) => Promise<unknown>>): AsyncFunction {
  let loaded: ((...args: unknown[]) => Promise<unknown>) | undefined;
  const loadAndCall = async (args: unknown[]): Promise<unknown> => {
    loaded = await load();
    return loaded(...args);
  };
  return (...args: unknown[]) => (loaded === undefined ? loadAndCall(args) : loaded(...args));
}

export const cacheByKey = <Key, Value>(get: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: get(key) };
    known.set(key, found);
    return found.value;
  };
};

type DefinedMembers<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

export function omitUndefined<const T extends object>(members: T): DefinedMembers<T>;
export function omitUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export const copyMethod: unique symbol = Symbol.for('hookwright.own-copy');

interface SelfCopying {
  [copyMethod](copyOf: (member: unknown) => unknown): unknown;
}

export const canCopyItself = (value: object): value is SelfCopying => copyMethod in value;

export const doNothing = (): void => undefined;

export const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

export const readErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export const isMissingFileError = (error: unknown): boolean =>
  readErrorCode(error) === 'ENOENT' || readErrorCode(error) === 'ENOTDIR';
