// Checks and describes values: records, plain JSON, thrown values, regular expressions.
import { pathTo } from './paths.ts';
/** Top-level keys that a check skips. */
export type SkippedKeys = ReadonlySet<string>;

/** Deeper values are refused everywhere, because later code recurses into them. */
export const MAX_JSON_DEPTH = 100;

/**
 * Limit of objects and arrays in a value. Shared ones count each time they occur, because a few lines could reference
 * billions.
 */
const MAX_JSON_VALUES = 250_000;

/** How many objects and arrays the running check may still visit. */
let left = 0;

/** Keys that change a prototype when a naive merge copies them. */
export const isPrototypeKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Whether a value is an object and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy with changed members. A change to `undefined` deletes the member. */
export const withChanges = (
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const after: Record<string, unknown> = { ...before, ...changes };
  for (const key in changes) if (changes[key] === undefined) delete after[key];
  return after;
};

const isJsonContainer = (value: object): boolean => {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || !hasJsonForm(value);
};

const hasJsonForm = (value: object): boolean => 'toJSON' in value;

const findInContainer = (value: object, path: string, depth: number): string | undefined => {
  if (depth > MAX_JSON_DEPTH) return `${path} nests deeper than ${MAX_JSON_DEPTH} levels or refers to itself`;
  left -= 1;
  if (left < 0) return `${path === '' ? 'it' : path} takes it beyond ${MAX_JSON_VALUES} objects and lists`;
  if (!isJsonContainer(value)) return `${path} is a ${value.constructor?.name ?? 'class instance'}, not plain JSON`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = findNonJson(value[index], path, index, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const key in value) {
    const found = findNonJson((value as Record<string, unknown>)[key], path, key, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A fast check without an error message, since nearly all values are valid. */
const isPlainJson = (value: object, depth: number): boolean => {
  left -= 1;
  if (depth > MAX_JSON_DEPTH || left < 0 || !isJsonContainer(value)) return false;
  if (isRecord(value)) {
    for (const key in value) if (!isPlainMember(value[key], depth)) return false;
    return true;
  }
  return Array.isArray(value) && value.every((item) => isPlainMember(item, depth));
};

const isPlainMember = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'undefined':
      return true;
    case 'object':
      return value === null || isPlainJson(value, depth + 1);
    default:
      return false;
  }
};

const findNonJson = (value: unknown, path: string, key: string | number, depth: number): string | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'undefined':
      return undefined;
    case 'object':
      return value === null ? undefined : findInContainer(value, pathTo(path, key), depth);
    default:
      return `${pathTo(path, key)} is a ${typeof value}, which JSON cannot carry`;
  }
};

/**
 * Describes why a value is not plain JSON (a cycle, a BigInt, a function, a getter that throws); `undefined` if it is.
 * `undefined` members are allowed, since JSON omits them. Top-level keys in `except` are skipped.
 */
export const whyNotJson = (value: object, except?: SkippedKeys): string | undefined => {
  left = MAX_JSON_VALUES;
  try {
    if (except === undefined) {
      if (isPlainJson(value, 0)) return undefined;
      left = MAX_JSON_VALUES;
      return findInContainer(value, '', 0);
    }
    for (const [key, member] of Object.entries(value)) {
      if (except.has(key)) continue;
      const found = findNonJson(member, '', key, 1);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    return `reading it throws: ${describeThrown(error)}`;
  }
};

const MAX_TEXT = 2_000;

/** Cuts a long text between two characters, and states how much was cut. */
export const shorten = (text: string, limit: number = MAX_TEXT): string => {
  if (text.length <= limit) return text;
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  const end = splitsPair ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
};

/**
 * Describes anything that can be thrown. Foreign values may throw when read (a revoked proxy, a `message` getter, an
 * object without a prototype), so every access is guarded.
 */
export const describeThrown = (thrown: unknown): string => {
  try {
    if (typeof thrown === 'string') return thrown === '' ? 'an empty string was thrown' : shorten(thrown);
    if (typeof thrown === 'function') return 'a function was thrown';
    if (typeof thrown !== 'object' || thrown === null) return shorten(String(thrown));
    const text = textMember(thrown, 'message') ?? (thrown instanceof Error ? textMember(thrown, 'name') : undefined);
    return shorten(text ?? JSON.stringify(thrown) ?? 'an object was thrown');
  } catch {
    return 'a value was thrown that cannot be turned into text';
  }
};

const textMember = (value: object, name: string): string | undefined => {
  const member: unknown = Reflect.get(value, name);
  return typeof member === 'string' && member !== '' ? member : undefined;
};

/** Converts anything that can be thrown to an `Error`, with the original as `cause`. */
export const toError = (thrown: unknown): Error => {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string' && thrown.message.length <= MAX_TEXT) {
      return thrown;
    }
  } catch {
    // Even reading its class or message threw.
  }
  return new Error(describeThrown(thrown), { cause: thrown });
};

/** Describes a value in an error message: `"30"` with quotes, `null` as `null`, `undefined` as `nothing`. */
export const describeValue = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  switch (typeof value) {
    case 'string':
      return shorten(JSON.stringify(value), 80);
    case 'object':
      return 'an object';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
};

/** Parses JSON without throwing. The message of the parser is kept because it has the position. */
export const parseJson = (text: string): { ok: true; value: unknown } | { ok: false; message: string } => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: describeThrown(error) };
  }
};

/** The value if it is a string. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Why a text is no valid regular expression; `undefined` if it is one. */
export const whyNoPattern = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return describeThrown(error);
  }
};
