// Describes how an ability starts, as a hook configuration that the runner and the trust store understand.
import { omitUndefined } from '../../kit/index.ts';
import { findHookChange, type HookConfig } from '../../protocol/index.ts';
import { CleanEnvironment, readOwnEnvironment } from '../../runners/process-api.ts';
import type { Ability, AbilityHandler } from './ability.ts';

const launchByHandler = new WeakMap<AbilityHandler, HookConfig>();

const createLaunch = ({ id, handler, timeoutMs: timeout }: Ability): HookConfig => {
  const shared = { name: id, timeout };
  switch (handler.kind) {
    case 'script': {
      const { command, args } = handler;
      return omitUndefined({ type: 'command', command, args: args && [...args], ...shared });
    }
    case 'http': {
      const { url, headers } = handler;
      return omitUndefined({ type: 'http', url, headers: headers && { ...headers }, ...shared });
    }
    case 'function':
      return omitUndefined({ type: 'runtime', ...shared });
  }
};

/** Returns one object per handler, because the origin and the approval are attached to the object. */
export const getLaunchConfig = (ability: Ability): HookConfig => {
  const launch = launchByHandler.get(ability.handler) ?? createLaunch(ability);
  launchByHandler.set(ability.handler, launch);
  return launch;
};

export const findChangeSinceApproval = async (ability: Ability): Promise<string | undefined> =>
  findHookChange(getLaunchConfig(ability));

/** Abilities from files of the repository get no secrets, except those that the host allows. */
export const createEnvironment = ({ file }: Ability, allowEnv: readonly string[]): Readonly<Record<string, string>> =>
  file === undefined
    ? readOwnEnvironment()
    : new CleanEnvironment().of(readOwnEnvironment(), undefined, { allowed: allowEnv }).environment;
