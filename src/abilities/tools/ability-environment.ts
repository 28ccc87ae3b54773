import { CleanEnvironment, ownEnvironment } from '../../runners/process-api.ts';
import type { Ability } from './ability.ts';

/**
 * The environment of an ability's process. Files of a repository are not trusted, so the abilities they declare get no
 * secrets but those that the host names, by the rules for hooks.
 */
export const environmentFor = ({ file }: Ability, allowEnv: readonly string[]): Readonly<Record<string, string>> =>
  file === undefined
    ? ownEnvironment()
    : new CleanEnvironment().of(ownEnvironment(), undefined, { allowed: allowEnv }).environment;
