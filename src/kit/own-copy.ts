/** A class whose instances are more than their members says here how one is copied. */
export const ownCopy: unique symbol = Symbol.for('hookwright.own-copy');

export interface CopiesItself {
  [ownCopy](): unknown;
}

export const copiesItself = (value: object): value is CopiesItself => ownCopy in value;

/** A deep copy of plain data: several times as fast as `structuredClone`, which looks after much that JSON has not. */
export const plainCopy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = plainCopy(member);
  }
  return copy;
};
