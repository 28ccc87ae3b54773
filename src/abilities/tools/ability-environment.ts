import { CleanEnvironment, ownEnvironment } from '../../runners/process-api.ts';
import type { Ability } from './ability.ts';

/**
 * What an ability's process finds in its environment. Files of a repository may have been written by anybody, so what
 * they declare is told no secrets but those the host names, by the rules for hooks.
 */
export const environmentFor = ({ file }: Ability, allowEnv: readonly string[]): Readonly<Record<string, string>> =>
  file === undefined
    ? ownEnvironment()
    : new CleanEnvironment().of(ownEnvironment(), undefined, { allowed: allowEnv }).environment;
