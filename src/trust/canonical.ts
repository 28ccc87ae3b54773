// Writes JSON so that equal values have equal texts, for hashes and comparisons.
import { createInvalidArgument } from '../errors.ts';
import { MAX_JSON_DEPTH } from '../kit/index.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

const checkDepth = (depth: number): void => {
  if (depth <= MAX_JSON_DEPTH) return;
  throw createInvalidArgument(`What is to be approved nests deeper than ${MAX_JSON_DEPTH} levels`);
};

const isJsonList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

export const toCanonicalJson = (value: JsonValue, depth = 0): string => {
  checkDepth(depth);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map((item) => toCanonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key] ?? null, depth + 1)}`).join(',')}}`;
};

export const toJsonValue = (value: unknown, depth = 0): JsonValue => {
  checkDepth(depth);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item: unknown) => toJsonValue(item ?? null, depth + 1));
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([key, member]) => [key, toJsonValue(member, depth + 1)]));
  }
  return `a ${typeof value}`;
};
