/** Converts any value to JSON for hooks. */
import { isPlainContainer, listInheritedMembers, MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../kit/index.ts';

const MAX_COPY_DEPTH = MAX_JSON_DEPTH - 10;

type ListKeys = (value: object) => string[];

/** Returns plain JSON itself, not a copy. In a copy of any other value, texts describe what JSON lacks. */
export const toPlainJson = (value: unknown, keysOf: ListKeys = Object.keys): unknown =>
  isPlainJson(value) ? value : copyWithinLimit(value, keysOf);

/** Includes inherited members and getters of a class, because the tool reads them too. */
export const toPlainArguments = (args: unknown): unknown =>
  toPlainJson(args, (value) =>
    isPlainContainer(value) ? Object.keys(value) : [...Object.keys(value), ...listInheritedMembers(value)],
  );

/** `undefined` for a value that is not plain JSON: a copy would lose something. */
export const copyJson = (value: unknown): { readonly copy: unknown } | undefined =>
  isPlainJson(value) ? { copy: copyWithinLimit(value) } : undefined;

export const toPlainError = (error: object): Record<string, unknown> => {
  const type = error instanceof Error && error.name !== 'Error' ? { type: error.name } : {};
  return { ...type, ...error, message: Reflect.get(error, 'message') };
};

/** A shared object counts each time it occurs. The engine refuses events beyond the limit, so the rest stays as it is. */
let valuesLeft = 0;

const isPlainJson = (value: unknown): boolean => {
  valuesLeft = MAX_JSON_VALUES;
  return isPlain(value, 0);
};

const copyWithinLimit = (value: unknown, keysOf: ListKeys = Object.keys): unknown => {
  valuesLeft = MAX_JSON_VALUES;
  return copyPlain(value, [], keysOf);
};

const isPlain = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) {
    return typeof value !== 'function' && typeof value !== 'bigint' && typeof value !== 'symbol';
  }
  valuesLeft -= 1;
  if (valuesLeft < 0) return true;
  if (depth >= MAX_COPY_DEPTH) return false;
  try {
    if ('toJSON' in value || !isPlainContainer(value)) return false;
    for (const key in value) if (!isPlain(Reflect.get(value, key), depth + 1)) return false;
    return true;
  } catch {
    return false;
  }
};

const copyPlain = (value: unknown, around: readonly object[], keysOf: ListKeys): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) return '[refers to itself]';
  if (around.length >= MAX_COPY_DEPTH) return '[nested too deeply]';
  valuesLeft -= 1;
  if (valuesLeft < 0) return value;
  const inside = [...around, value];
  try {
    if (value instanceof Error) return copyMembers(toPlainError(value), inside, keysOf);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if ('toJSON' in value && typeof value.toJSON === 'function') return copyPlain(value.toJSON(), inside, keysOf);
    if (value instanceof Map || value instanceof Set) return copyPlain(readEntries(value), inside, keysOf);
    if (Array.isArray(value)) return value.map((item: unknown) => copyPlain(item, inside, keysOf));
    return copyMembers(value, inside, keysOf);
  } catch {
    return '[cannot be read]';
  }
};

/** A map becomes an object, or a list of pairs if two of its keys have the same text. */
const readEntries = (collection: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>): unknown => {
  if (collection instanceof Set) return [...collection];
  const members: Record<string, unknown> = Object.fromEntries(collection.entries());
  return Object.keys(members).length === collection.size ? members : [...collection];
};

const copyMembers = (members: object, inside: readonly object[], keysOf: ListKeys): Record<string, unknown> =>
  Object.fromEntries(keysOf(members).map((key) => [key, copyMember(members, key, inside, keysOf)]));

const copyMember = (members: object, key: string, inside: readonly object[], keysOf: ListKeys): unknown => {
  try {
    return copyPlain(Reflect.get(members, key), inside, keysOf);
  } catch {
    return '[cannot be read]';
  }
};
