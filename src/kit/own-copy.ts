/** A class whose instances are more than their members says here how one is copied. */
export const ownCopy: unique symbol = Symbol.for('hookwright.own-copy');

export interface CopiesItself {
  /** `copyOf` gives a copy of a member. */
  [ownCopy](copyOf: (member: unknown) => unknown): unknown;
}

export const copiesItself = (value: object): value is CopiesItself => ownCopy in value;
