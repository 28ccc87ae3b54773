import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkByStandard, isRecord, isStandardSchema } from '../../kit/index.ts';
import { within } from '../../kit/node.ts';
import type { Ability } from './ability.ts';
import { environmentFor } from './ability-environment.ts';
import { changeOf } from './ability-launch.ts';
import { checkInput } from './input/check-input.ts';

export interface PreflightPlace {
  readonly root: string;
  /** Where the host says that it runs: a name, or an object with one. */
  readonly environment: unknown;
  /** Secret-looking variables that abilities declared in files may see. */
  readonly allowEnv: readonly string[];
}

const environmentName = (environment: unknown): string | undefined => {
  const name = isRecord(environment) ? environment.name : environment;
  return typeof name === 'string' ? name : undefined;
};

const trustProblem = async (ability: Ability): Promise<string | undefined> => {
  const { id, trusted, file = 'a file' } = ability;
  if (trusted === false) {
    return `ability "${id}" is declared in ${file}, which is not approved in its current version; approve it, or trust the folder`;
  }
  const change = await changeOf(ability);
  return change === undefined ? undefined : `ability "${id}" may not be used: ${change}`;
};

const environmentProblem = ({ id, environments }: Ability, environment: unknown): string | undefined => {
  if (environments === undefined) return undefined;
  const name = environmentName(environment);
  if (name !== undefined && environments.includes(name)) return undefined;
  const here = name === undefined ? 'the host names none' : `this is "${name}"`;
  return `ability "${id}" may only be used in ${environments.map((one) => `"${one}"`).join(', ')}; ${here}`;
};

const variableProblem = (ability: Ability, allowEnv: readonly string[]): string | undefined => {
  const { id, requires } = ability;
  if (requires?.env === undefined) return undefined;
  const environment = environmentFor(ability, allowEnv);
  const missing = requires.env.find((name) => (environment[name] ?? '') === '');
  if (missing === undefined) return undefined;
  const isHeldBack = (process.env[missing] ?? '') !== '';
  const why = isHeldBack ? 'which looks like a secret; the host can allow it with allowEnv' : 'which is not set';
  return `ability "${id}" needs the variable ${missing}, ${why}`;
};

const fileProblem = async ({ id, requires }: Ability, root: string): Promise<string | undefined> => {
  for (const name of requires?.files ?? []) {
    const file = join(root, name);
    if (within(root, file) === undefined) return `ability "${id}" needs ${name}, which is not in the repository`;
    const isThere = await lstat(file).then(
      () => true,
      () => false,
    );
    if (!isThere) return `ability "${id}" needs the file ${name}, which does not exist`;
  }
  return undefined;
};

const inputProblem = async ({ id, input: schema }: Ability, input: unknown): Promise<string | undefined> => {
  if (schema === undefined) return undefined;
  const problems = isStandardSchema(schema) ? await checkByStandard(schema, input) : checkInput(schema, input);
  return problems.length === 0 ? undefined : `ability "${id}" cannot take this input: ${problems.join('; ')}`;
};

/**
 * What can be told of a task without running anything: the ability may be used here, what it needs is there, and the
 * input has its shape. Gives the first thing that is wrong.
 */
export const preflightProblem = async (
  ability: Ability,
  input: unknown,
  { root, environment, allowEnv }: PreflightPlace,
): Promise<string | undefined> =>
  (await trustProblem(ability)) ??
  environmentProblem(ability, environment) ??
  variableProblem(ability, allowEnv) ??
  (await fileProblem(ability, root)) ??
  (await inputProblem(ability, input));
