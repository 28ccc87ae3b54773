import { invalidArgument } from '../errors.ts';
import { MAX_JSON_DEPTH } from '../kit/index.ts';

/** What approvals are about, as JSON: nothing else can be written down and compared later. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** One text for one meaning: members in the order of their names, no blanks. */
export const canonicalJson = (value: JsonValue, depth = 0): string => {
  if (depth > MAX_JSON_DEPTH) {
    throw invalidArgument(`What is to be approved nests deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null, depth + 1)}`).join(',')}}`;
};

/** The same value as JSON, or an error that names what cannot be. `undefined` members are left out. */
export const toJson = (value: unknown, depth = 0): JsonValue => {
  if (depth > MAX_JSON_DEPTH) {
    throw invalidArgument(`What is to be approved nests deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item: unknown) => toJson(item ?? null, depth + 1));
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([key, member]) => [key, toJson(member, depth + 1)]));
  }
  return `a ${typeof value}`;
};
