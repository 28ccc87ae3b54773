// Checks whether an ability can be used, without running anything.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkByStandard, describeValue, formatSuggestion, isRecord, isStandardSchema } from '../../kit/index.ts';
import { toPathWithin } from '../../kit/node.ts';
import type { Ability } from './ability.ts';
import { createEnvironment, findChangeSinceApproval } from './ability-launch.ts';
import type { InputSchema, InputType } from './input-schema.ts';

export interface PreflightOptions {
  readonly root: string;
  readonly environment: unknown;
  readonly allowEnv: readonly string[];
}

const readEnvironmentName = (environment: unknown): string | undefined => {
  const name = isRecord(environment) ? environment.name : environment;
  return typeof name === 'string' ? name : undefined;
};

const findTrustProblem = async (ability: Ability): Promise<string | undefined> => {
  const { id, trusted, file = 'a file' } = ability;
  if (trusted === false) {
    return `ability "${id}" is declared in ${file}, which is not approved in its current version; approve it, or trust the folder`;
  }
  const change = await findChangeSinceApproval(ability);
  return change === undefined ? undefined : `ability "${id}" may not be used: ${change}`;
};

const findEnvironmentProblem = ({ id, environments }: Ability, environment: unknown): string | undefined => {
  if (environments === undefined) return undefined;
  const name = readEnvironmentName(environment);
  if (name !== undefined && environments.includes(name)) return undefined;
  const here = name === undefined ? 'the host names none' : `this is "${name}"`;
  return `ability "${id}" may only be used in ${environments.map((one) => `"${one}"`).join(', ')}; ${here}`;
};

const findVariableProblem = (ability: Ability, allowEnv: readonly string[]): string | undefined => {
  const { id, requires } = ability;
  if (requires?.env === undefined) return undefined;
  const environment = createEnvironment(ability, allowEnv);
  const missing = requires.env.find((name) => (environment[name] ?? '') === '');
  if (missing === undefined) return undefined;
  const isHeldBack = (process.env[missing] ?? '') !== '';
  const why = isHeldBack ? 'which looks like a secret; the host can allow it with allowEnv' : 'which is not set';
  return `ability "${id}" needs the variable ${missing}, ${why}`;
};

const findFileProblem = async ({ id, requires }: Ability, root: string): Promise<string | undefined> => {
  for (const name of requires?.files ?? []) {
    const file = join(root, name);
    if (toPathWithin(root, file) === undefined) return `ability "${id}" needs ${name}, which is not in the repository`;
    const isThere = await lstat(file).then(
      () => true,
      () => false,
    );
    if (!isThere) return `ability "${id}" needs the file ${name}, which does not exist`;
  }
  return undefined;
};

const findInputProblem = async ({ id, input: schema }: Ability, input: unknown): Promise<string | undefined> => {
  if (schema === undefined) return undefined;
  const problems = isStandardSchema(schema) ? await checkByStandard(schema, input) : findInputProblems(schema, input);
  return problems.length === 0 ? undefined : `ability "${id}" cannot take this input: ${problems.join('; ')}`;
};

export const findPreflightProblem = async (
  ability: Ability,
  input: unknown,
  { root, environment, allowEnv }: PreflightOptions,
): Promise<string | undefined> =>
  (await findTrustProblem(ability)) ??
  findEnvironmentProblem(ability, environment) ??
  findVariableProblem(ability, allowEnv) ??
  (await findFileProblem(ability, root)) ??
  (await findInputProblem(ability, input));

const MAX_REPORTED_PROBLEMS = 10;

const typeChecks: Readonly<Record<InputType, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const isSameJsonText = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const findLengthProblem = ({ minLength, maxLength }: InputSchema, value: unknown): string | undefined => {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const { length } = value;
  if (minLength !== undefined && length < minLength) return `expected a length of at least ${minLength}, got ${length}`;
  if (maxLength !== undefined && length > maxLength) return `expected a length of at most ${maxLength}, got ${length}`;
  return undefined;
};

const findRangeProblem = ({ minimum, maximum }: InputSchema, value: unknown): string | undefined => {
  if (typeof value !== 'number') return undefined;
  if (minimum !== undefined && value < minimum) return `expected ${minimum} or more, got ${value}`;
  if (maximum !== undefined && value > maximum) return `expected ${maximum} or less, got ${value}`;
  return undefined;
};

const findValueProblem = (schema: InputSchema, value: unknown): string | undefined => {
  const { type, enum: values } = schema;
  if (type !== undefined && !typeChecks[type](value)) return `expected ${type}, got ${describeValue(value)}`;
  if (values !== undefined && !values.some((one) => isSameJsonText(one, value))) {
    return `expected one of ${values.map((one) => JSON.stringify(one)).join(', ')}, got ${describeValue(value)}`;
  }
  return findRangeProblem(schema, value) ?? findLengthProblem(schema, value);
};

const findMemberProblems = (schema: InputSchema, value: Record<string, unknown>, path: string): string[] => {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const known = Object.keys(properties);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name) || value[name] === undefined)
    .map((name) => `${path}.${name} is missing`);
  const unknown = additionalProperties
    ? []
    : Object.keys(value)
        .filter((name) => !known.includes(name))
        .map((name) => `${path}.${name} is not known${formatSuggestion(name, known)}`);
  const below = known
    .filter((name) => Object.hasOwn(value, name) && value[name] !== undefined)
    .flatMap((name) => findProblems(properties[name] ?? {}, value[name], `${path}.${name}`));
  return [...missing, ...unknown, ...below];
};

const findProblems = (schema: InputSchema, value: unknown, path: string): string[] => {
  const own = findValueProblem(schema, value);
  if (own !== undefined) return [`${path}: ${own}`];
  if (isRecord(value)) return findMemberProblems(schema, value, path);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return [];
  return value.flatMap((one, index) => findProblems(items, one, `${path}[${index}]`));
};

export const findInputProblems = (schema: InputSchema, input: unknown): string[] => {
  const problems = findProblems(schema, input, 'input');
  if (problems.length <= MAX_REPORTED_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_REPORTED_PROBLEMS), `and ${problems.length - MAX_REPORTED_PROBLEMS} more`];
};
