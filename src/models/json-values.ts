/** Compares and copies JSON values, and narrows values of unknown type. */
import { HookwrightError } from '../errors.ts';
import { describeValue, isRecord, MAX_JSON_DEPTH } from '../kit/index.ts';

/** Compares values as JSON: a member that is `undefined` equals a missing one, and -0 equals 0. */
export const isSameJson = (one: unknown, other: unknown, depth = 0): boolean => {
  if (one === other || Object.is(one, other)) return true;
  // Values that are too deep, or cycles, are treated as different, so that a hook's change is never lost.
  if (depth > MAX_JSON_DEPTH) return false;
  if (Array.isArray(one)) return Array.isArray(other) && areSameLists(one, other, depth);
  return isRecord(one) && isRecord(other) && haveSameMembers(one, other, depth);
};

const areSameLists = (one: readonly unknown[], other: readonly unknown[], depth: number): boolean =>
  one.length === other.length && one.every((item, index) => isSameJson(item, other[index], depth + 1));

const haveSameMembers = (one: Record<string, unknown>, other: Record<string, unknown>, depth: number): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) =>
    isSameJson(one[key], other[key], depth + 1),
  );

/**
 * Returns a shallow copy with prototype and hidden members, so that getters of an SDK's class work. Read-only members
 * become writable.
 */
export const copyWithPrototype = <T extends object>(original: T): T => {
  const copy = { ...original };
  const prototype: unknown = Object.getPrototypeOf(original);
  if (prototype !== Object.prototype && (prototype === null || typeof prototype === 'object')) {
    Object.setPrototypeOf(copy, prototype);
  }
  for (const key of Reflect.ownKeys(original)) {
    if (Object.hasOwn(copy, key)) continue;
    const hidden = Object.getOwnPropertyDescriptor(original, key);
    if (hidden === undefined) continue;
    const plain = 'value' in hidden ? { ...hidden, writable: true } : hidden;
    Object.defineProperty(copy, key, { ...plain, configurable: true });
  }
  return copy;
};

export const hasKeys = (value: object): boolean => Object.keys(value).length > 0;

export const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

export const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

export const expectObject = (value: unknown, what: string, expected: string): Record<string, unknown> => {
  if (isRecord(value)) return value;
  throw new HookwrightError(
    'validation_failure',
    `${what} must be an object with ${expected}, got ${describeValue(value)}`,
    { details: { expected, found: describeValue(value) } },
  );
};
