import { changeSinceApproved, type HookConfig } from '../../protocol/index.ts';
import { CleanEnvironment, ownEnvironment } from '../../runners/process-api.ts';
import type { Ability, AbilityHandler } from './ability.ts';

const launches = new WeakMap<AbilityHandler, HookConfig>();

const launchFor = ({ id, handler, timeoutMs }: Ability): HookConfig => {
  const shared = { name: id, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
  switch (handler.kind) {
    case 'script': {
      const { command, args } = handler;
      return { type: 'command', command, ...(args === undefined ? {} : { args: [...args] }), ...shared };
    }
    case 'http': {
      const { url, headers } = handler;
      return { type: 'http', url, ...(headers === undefined ? {} : { headers: { ...headers } }), ...shared };
    }
    case 'function':
      return { type: 'runtime', ...shared };
  }
};

/**
 * What an ability runs, in the form the runner and the trust store know. For one handler it is always the same object,
 * because where it comes from and what was approved of it are remembered beside it.
 */
export const launchOfAbility = (ability: Ability): HookConfig => {
  const known = launches.get(ability.handler);
  if (known !== undefined) return known;
  const launch = launchFor(ability);
  launches.set(ability.handler, launch);
  return launch;
};

/** What of an approved ability is not as it was approved, if anything. */
export const changeOf = async (ability: Ability): Promise<string | undefined> =>
  changeSinceApproved(launchOfAbility(ability));

/**
 * The environment of an ability's process. Files of a repository are not trusted, so the abilities they declare get no
 * secrets but those that the host names, by the rules for hooks.
 */
export const environmentFor = ({ file }: Ability, allowEnv: readonly string[]): Readonly<Record<string, string>> =>
  file === undefined
    ? ownEnvironment()
    : new CleanEnvironment().of(ownEnvironment(), undefined, { allowed: allowEnv }).environment;
