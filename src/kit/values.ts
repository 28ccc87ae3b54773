/** Small helpers for values: built once, remembered, without `undefined`, the code of an error. */
/** Builds a value on first use. Schemas are made this way so that importing the package costs next to nothing. */
export const once = <T>(build: () => T): (() => T) => {
  let built: { value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
};

/** Calls a function once for each key. */
export const remembered = <Key, Value>(get: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: get(key) };
    known.set(key, found);
    return found.value;
  };
};

/** The members that have a value. */
export const definedIn = <Value>(members: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** A class whose instances are more than their members says here how one is copied. */
export const ownCopy: unique symbol = Symbol.for('hookwright.own-copy');

interface CopiesItself {
  /** `copyOf` gives a copy of a member. */
  [ownCopy](copyOf: (member: unknown) => unknown): unknown;
}

export const copiesItself = (value: object): value is CopiesItself => ownCopy in value;

/** Whether two lists hold the same items in the same order: the very same ones, not others that look alike. */
export const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The code of the system or of Node in an error: `ENOENT` and its like. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the file does not exist. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
