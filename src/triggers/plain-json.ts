/** Converts any value to JSON for hooks. */
import { MAX_JSON_DEPTH } from '../kit/index.ts';

const MAX_COPY_DEPTH = MAX_JSON_DEPTH - 10;

/** Returns plain JSON itself, not a copy. In a copy of any other value, texts describe what JSON lacks. */
export const toPlainJson = (value: unknown): unknown => (isPlain(value, 0) ? value : copyPlain(value, []));

/** `undefined` for a value that is not plain JSON: a copy would lose something. */
export const copyJson = (value: unknown): { readonly copy: unknown } | undefined =>
  isPlain(value, 0, true) ? { copy: copyPlain(value, []) } : undefined;

export const copyPlainMembers = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  copyMembers(members, [members]);

export const toPlainError = (error: object): Record<string, unknown> => {
  const type = error instanceof Error && error.name !== 'Error' ? { type: error.name } : {};
  return { ...type, ...error, message: Reflect.get(error, 'message') };
};

const hasOwnJsonForm = (value: object): boolean =>
  value instanceof Error || value instanceof ArrayBuffer || ArrayBuffer.isView(value) || 'toJSON' in value;

const isPlainContainer = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
};

/** With `onlyBare`, instances of classes are not plain, because a copy would lose their class. */
const isPlain = (value: unknown, depth: number, onlyBare = false): boolean => {
  if (typeof value !== 'object' || value === null) {
    return typeof value !== 'function' && typeof value !== 'bigint' && typeof value !== 'symbol';
  }
  if (depth >= MAX_COPY_DEPTH) return false;
  try {
    if (hasOwnJsonForm(value) || (onlyBare && !isPlainContainer(value))) return false;
    for (const key in value) if (!isPlain(Reflect.get(value, key), depth + 1, onlyBare)) return false;
    return true;
  } catch {
    return false;
  }
};

const copyPlain = (value: unknown, around: readonly object[]): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) return '[refers to itself]';
  if (around.length >= MAX_COPY_DEPTH) return '[nested too deeply]';
  const inside = [...around, value];
  try {
    if (value instanceof Error) return copyMembers(toPlainError(value), inside);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if ('toJSON' in value && typeof value.toJSON === 'function') return copyPlain(value.toJSON(), inside);
    if (Array.isArray(value)) return value.map((item: unknown) => copyPlain(item, inside));
    return copyMembers(value, inside);
  } catch {
    return '[cannot be read]';
  }
};

const copyMembers = (members: object, inside: readonly object[]): Record<string, unknown> =>
  Object.fromEntries(Object.keys(members).map((key) => [key, copyMember(members, key, inside)]));

const copyMember = (members: object, key: string, inside: readonly object[]): unknown => {
  try {
    return copyPlain(Reflect.get(members, key), inside);
  } catch {
    return '[cannot be read]';
  }
};
