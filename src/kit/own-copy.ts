/** A class whose instances are more than their members says here how one is copied. */
export const ownCopy: unique symbol = Symbol.for('hookwright.own-copy');

export interface CopiesItself {
  [ownCopy](): unknown;
}

export const copiesItself = (value: object): value is CopiesItself => ownCopy in value;
