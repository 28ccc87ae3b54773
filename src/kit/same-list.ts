/** Whether two lists hold the same items in the same order: the very same ones, not others that look alike. */
export const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);
