// Validates a value against a JSON Schema, with the keywords that schemas of tools use.
import { describeValue, isRecord, type Members } from '../../kit/index.ts';

const typeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const findFirstReason = (reasons: Iterable<string | undefined>): string | undefined => {
  for (const reason of reasons) if (reason !== undefined) return reason;
  return undefined;
};

function* checkMembers(
  { properties, required, additionalProperties }: Members,
  value: Members,
  path: string,
): Iterable<string | undefined> {
  const known = isRecord(properties) ? properties : {};
  for (const name of toList(required)) {
    if (typeof name === 'string' && value[name] === undefined) yield `${path}.${name} is missing`;
  }
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) yield findSchemaMismatch(known[name], member, `${path}.${name}`);
    else if (additionalProperties === false) yield `${path}.${name} is not known`;
  }
}

/** Checks types, members, items, enums and alternatives; the tool must check other keywords. */
export const findSchemaMismatch = (schema: unknown, value: unknown, path = 'input'): string | undefined => {
  if (!isRecord(schema)) return undefined;
  const types = toList(schema.type);
  if (types.length > 0 && !types.some((type) => typeChecks[String(type)]?.(value) !== false)) {
    return `${path}: expected ${types.join(' or ')}, got ${describeValue(value)}`;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value))) {
    return `${path}: expected one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}, got ${describeValue(value)}`;
  }
  const alternatives = toList(schema.anyOf ?? schema.oneOf).map((one) => findSchemaMismatch(one, value, path));
  if (alternatives.length > 0 && !alternatives.includes(undefined)) return alternatives[0];
  if (Array.isArray(value))
    return findFirstReason(value.map((item, index) => findSchemaMismatch(schema.items, item, `${path}[${index}]`)));
  return isRecord(value) ? findFirstReason(checkMembers(schema, value, path)) : undefined;
};
