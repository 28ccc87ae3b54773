import { describeValue, isRecord, suggestion } from '../../../kit/index.ts';
import type { InputSchema, InputType } from './input-schema.ts';

/** More are not told: whoever gets ten answers at once reads the first. */
const MAX_PROBLEMS = 10;

const isOfType: Readonly<Record<InputType, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const lengthProblem = ({ minLength, maxLength }: InputSchema, value: unknown): string | undefined => {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const { length } = value;
  if (minLength !== undefined && length < minLength) return `expected a length of at least ${minLength}, got ${length}`;
  if (maxLength !== undefined && length > maxLength) return `expected a length of at most ${maxLength}, got ${length}`;
  return undefined;
};

const rangeProblem = ({ minimum, maximum }: InputSchema, value: unknown): string | undefined => {
  if (typeof value !== 'number') return undefined;
  if (minimum !== undefined && value < minimum) return `expected ${minimum} or more, got ${value}`;
  if (maximum !== undefined && value > maximum) return `expected ${maximum} or less, got ${value}`;
  return undefined;
};

const valueProblem = (schema: InputSchema, value: unknown): string | undefined => {
  const { type, enum: values } = schema;
  if (type !== undefined && !isOfType[type](value)) return `expected ${type}, got ${describeValue(value)}`;
  if (values !== undefined && !values.some((one) => isSame(one, value))) {
    return `expected one of ${values.map((one) => JSON.stringify(one)).join(', ')}, got ${describeValue(value)}`;
  }
  return rangeProblem(schema, value) ?? lengthProblem(schema, value);
};

const memberProblems = (schema: InputSchema, value: Record<string, unknown>, path: string): string[] => {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const known = Object.keys(properties);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name) || value[name] === undefined)
    .map((name) => `${path}.${name} is missing`);
  const unknown = additionalProperties
    ? []
    : Object.keys(value)
        .filter((name) => !known.includes(name))
        .map((name) => `${path}.${name} is not known${suggestion(name, known)}`);
  const below = known
    .filter((name) => Object.hasOwn(value, name) && value[name] !== undefined)
    .flatMap((name) => check(properties[name] ?? {}, value[name], `${path}.${name}`));
  return [...missing, ...unknown, ...below];
};

const check = (schema: InputSchema, value: unknown, path: string): string[] => {
  const own = valueProblem(schema, value);
  if (own !== undefined) return [`${path}: ${own}`];
  if (isRecord(value)) return memberProblems(schema, value, path);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return [];
  return value.flatMap((one, index) => check(items, one, `${path}[${index}]`));
};

/** Where an input differs from what an ability takes; nothing when it fits. */
export const checkInput = (schema: InputSchema, input: unknown): string[] => {
  const problems = check(schema, input, 'input');
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more`];
};
