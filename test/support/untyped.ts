function pretend<T>(_value: unknown): asserts _value is T {}

/** What plain JavaScript may pass where the compiler would object. */
export const untyped = <T>(value: unknown): T => {
  pretend<T>(value);
  return value;
};

/** An object whose member throws as soon as somebody looks at it. */
export const withHostileMember = <T extends object>(rest: T, member: string): T =>
  Object.defineProperty({ ...rest }, member, {
    enumerable: true,
    get: () => {
      throw new Error(`do not look at ${member}`);
    },
  });

/** Whatever is done with it throws. */
export const revokedProxy = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** `{a: {a: … {a: leaf}}}`, so many levels deep. */
export const nested = (levels: number, leaf: unknown = 1): unknown => {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};
