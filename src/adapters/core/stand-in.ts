/** An object with some members of ours; everything else is the object's own, private members and all. */
export const standIn = <T extends object>(target: T, own: ReadonlyMap<PropertyKey, unknown>): T =>
  new Proxy(target, {
    get: (_target, key): unknown => {
      const member = own.get(key);
      if (member !== undefined) return member;
      // Classes keep their state in private members, which a stand-in has none of.
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
