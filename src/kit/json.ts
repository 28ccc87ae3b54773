// Checks and describes values: records, plain JSON, thrown values, regular expressions.
import { appendToPath } from './paths.ts';
export type SkippedKeys = ReadonlySet<string>;

/** The members of an object of unknown type, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** Deeper values are refused, because code that reads them recursively would overflow the stack. */
export const MAX_JSON_DEPTH = 100;

/**
 * Limit of objects and arrays in a value. A shared object counts each time it occurs, because a few lines of code can
 * reference it billions of times.
 */
export const MAX_JSON_VALUES = 250_000;

let valuesLeft = 0;

/** A merge that copies these keys can change an object's prototype. */
export const isPrototypeKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A spread or `Object.entries` loses the content of these objects. */
export const isBuiltInObject = (value: object): boolean =>
  value instanceof Error ||
  value instanceof Map ||
  value instanceof Set ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);

/** Two objects that differ only in the order of their keys count as different. */
export const hasSameJsonText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const withChanges = (
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const after: Record<string, unknown> = { ...before, ...changes };
  for (const key in changes) if (changes[key] === undefined) delete after[key];
  return after;
};

/** False for instances of classes: a copy would lose their class. */
export const isPlainContainer = (value: object): boolean => {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const isJsonContainer = (value: object): boolean =>
  isPlainContainer(value) || (!('toJSON' in value) && listInheritedMembers(value).length === 0);

/** Members that JSON omits though code can read them: getters of a class, and members of any other prototype. */
export const listInheritedMembers = (value: object): string[] => {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return [];
  const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  const names = members.flatMap(([name, { get, enumerable }]) => (enumerable || get !== undefined ? name : []));
  return [...names, ...listInheritedMembers(prototype)];
};

const findNonJsonInContainer = (value: object, path: string, depth: number): string | undefined => {
  const at = path || 'it';
  if (depth > MAX_JSON_DEPTH) return `${at} nests deeper than ${MAX_JSON_DEPTH} levels or refers to itself`;
  valuesLeft -= 1;
  if (valuesLeft < 0) return `${at} takes it beyond ${MAX_JSON_VALUES} objects and lists`;
  if (!isJsonContainer(value)) return `${at} is a ${value.constructor?.name || 'class instance'}, not plain JSON`;
  return findNonJsonMember(value, path, depth);
};

const findNonJsonMember = (value: object, path: string, depth: number, except?: SkippedKeys): string | undefined => {
  for (const [key, member] of Object.entries(value)) {
    if (except?.has(key) === true) continue;
    const found = findNonJson(member, path, Array.isArray(value) ? Number(key) : key, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const isPlainJson = (value: object, depth: number): boolean => {
  valuesLeft -= 1;
  if (depth > MAX_JSON_DEPTH || valuesLeft < 0 || !isJsonContainer(value)) return false;
  if (isRecord(value)) {
    for (const key in value) if (!isPlainJsonMember(value[key], depth)) return false;
    return true;
  }
  return Array.isArray(value) && value.every((item) => isPlainJsonMember(item, depth));
};

const isPlainJsonMember = (value: unknown, depth: number): boolean =>
  typeof value === 'object'
    ? value === null || isPlainJson(value, depth + 1)
    : typeof value !== 'function' && typeof value !== 'bigint' && typeof value !== 'symbol';

const findNonJson = (value: unknown, path: string, key: string | number, depth: number): string | undefined => {
  if (value === null) return undefined;
  if (typeof value === 'object') return findNonJsonInContainer(value, appendToPath(path, key), depth);
  return isPlainJsonMember(value, depth)
    ? undefined
    : `${appendToPath(path, key)} is a ${typeof value}, which JSON cannot carry`;
};

/**
 * `undefined` if the value is plain JSON, otherwise the reason, such as a cycle, a BigInt or a getter that throws.
 * `undefined` members are allowed, because JSON omits them.
 */
export const explainNotJson = (value: object, except?: SkippedKeys): string | undefined => {
  valuesLeft = MAX_JSON_VALUES;
  try {
    if (except !== undefined) return findNonJsonMember(value, '', 0, except);
    if (isPlainJson(value, 0)) return undefined;
    valuesLeft = MAX_JSON_VALUES;
    return findNonJsonInContainer(value, '', 0);
  } catch (error) {
    return `reading it throws: ${describeThrown(error)}`;
  }
};

const MAX_TEXT_LENGTH = 2_000;

export const shorten = (text: string, limit: number = MAX_TEXT_LENGTH): string => {
  if (text.length <= limit) return text;
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  const end = splitsPair ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
};

/** Returns the beginning that `shorten` kept, or `undefined` if the text does not end as a shortened one. */
export const readShortened = (text: string): string | undefined => /^(.*)… \(\d+ more characters\)$/s.exec(text)?.[1];

/**
 * A thrown value can throw again when it is read (revoked proxy, `message` getter), so every access is inside the
 * `try`.
 */
export const describeThrown = (thrown: unknown): string => {
  try {
    if (typeof thrown === 'string') return thrown === '' ? 'an empty string was thrown' : shorten(thrown);
    if (typeof thrown === 'function') return 'a function was thrown';
    if (typeof thrown !== 'object' || thrown === null) return shorten(String(thrown));
    const text =
      readTextMember(thrown, 'message') ?? (thrown instanceof Error ? readTextMember(thrown, 'name') : undefined);
    return shorten(text ?? JSON.stringify(thrown) ?? 'an object was thrown');
  } catch {
    return 'a value was thrown that cannot be turned into text';
  }
};

const readTextMember = (value: object, name: string): string | undefined => {
  const member: unknown = Reflect.get(value, name);
  return typeof member === 'string' && member !== '' ? member : undefined;
};

export const toError = (thrown: unknown): Error => {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string' && thrown.message.length <= MAX_TEXT_LENGTH) {
      return thrown;
    }
  } catch {
    // Reading the class or message of the thrown value threw.
  }
  return new Error(describeThrown(thrown), { cause: thrown });
};

/** Describes a value in error messages: `"30"` for a string, `null` for null, `nothing` for undefined. */
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

export const parseJson = (text: string): { ok: true; value: unknown } | { ok: false; message: string } => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: describeThrown(error) };
  }
};

/** Windows editors and PowerShell begin texts with a byte order mark. */
export const withoutByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

export const explainBadPattern = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return describeThrown(error);
  }
};
