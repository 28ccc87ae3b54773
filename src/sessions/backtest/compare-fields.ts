// Splits JSON values into fields with dotted paths, and compares them field by field.
import { appendToPath, attempt, isRecord } from '../../kit/index.ts';

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** A member with the value `undefined` equals a missing member. */
export const isEqualJson = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, at) => isEqualJson(one, b[at]));
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key in a) if (!isEqualJson(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
};

const addFields = (fields: Map<string, unknown>, path: string, value: unknown): void => {
  if (value === undefined) return;
  if (Array.isArray(value) && !value.every(isScalar)) {
    for (const [index, member] of value.entries()) addFields(fields, appendToPath(path, index), member);
    return;
  }
  const members = isRecord(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
  if (members.length === 0) fields.set(path, value);
  for (const [key, member] of members) addFields(fields, appendToPath(path, key), member);
};

/** A list of scalars is one field. A list of objects is split into fields such as `llm_request.messages[1].content`. */
export const flattenFields = (value: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, unknown> => {
  const fields = new Map<string, unknown>();
  for (const key in value) addFields(fields, key, value[key]);
  return fields;
};

export const listDifferingPaths = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  same: (a: unknown, b: unknown) => boolean = isEqualJson,
): string[] => {
  const paths = [...before.keys()].filter((path) => !same(before.get(path), after.get(path)));
  for (const path of after.keys()) if (!before.has(path)) paths.push(path);
  return paths;
};

const MAX_PREVIEW_LENGTH = 200;

export const formatPreview = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = attempt(() => JSON.stringify(value) ?? typeof value);
  if (text === undefined) return 'a value that JSON cannot carry';
  return text.length <= MAX_PREVIEW_LENGTH ? text : `${text.slice(0, MAX_PREVIEW_LENGTH - 1)}…`;
};
