import { CleanEnvironment } from '../../runners/commands.ts';
import type { Ability } from './ability.ts';

/** A copy of the environment of this process, for processes it starts. */
const hostEnvironment = (): Record<string, string> => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
};

/**
 * What an ability's process finds in its environment. Files of a repository may have been written by anybody, so what
 * they declare is told no secrets but those the host names, by the rules for hooks.
 */
export const environmentFor = ({ file }: Ability, allowEnv: readonly string[]): Readonly<Record<string, string>> =>
  file === undefined
    ? hostEnvironment()
    : new CleanEnvironment().of(hostEnvironment(), undefined, allowEnv).environment;
