// Restricts which environment variables hooks of a project or an extension (foreign hooks) may see and set.
import {
  ConfigSource,
  canSteerPrograms,
  getOrigin,
  type HookConfig,
  isAllowedName,
  isBroughtByProject,
  isLikelySecret,
  isListedName,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import type { Variables } from './shell-words.ts';

/**
 * The file or the program of a foreign hook may come from another author, so the hook gets no secrets and must not set
 * variables that decide which code runs.
 */
export const isForeign = (hook: HookConfig): boolean => {
  const origin = getOrigin(hook);
  if (origin?.position === undefined) return false;
  return isBroughtByProject(origin.source, hook);
};

export const holdsEverywhere = (hook: HookConfig): boolean => {
  const { source, programInProject } = getOrigin(hook) ?? {};
  return programInProject === undefined && (source === ConfigSource.User || source === ConfigSource.System);
};

interface OwnVariables {
  readonly env: Variables | undefined;
  readonly refused: readonly string[];
}

const ownVariablesByHook = new WeakMap<HookConfig, OwnVariables>();

const splitOwnVariables = (hook: HookConfig): OwnVariables => {
  const { env } = hook;
  if (env === undefined || !isForeign(hook)) return { env, refused: [] };
  let own = ownVariablesByHook.get(hook);
  if (own === undefined) {
    const refused = Object.keys(env).filter(canSteerPrograms);
    const kept = Object.entries(env).filter(([name]) => !refused.includes(name));
    own = { env: kept.length === 0 ? undefined : Object.fromEntries(kept), refused };
    ownVariablesByHook.set(hook, own);
  }
  return own;
};

export const ownVariables = (hook: HookConfig): Variables | undefined => splitOwnVariables(hook).env;

export const createRefusedNotice = (hook: HookConfig): Notice | undefined => {
  const { refused } = splitOwnVariables(hook);
  if (refused.length === 0) return undefined;
  const why = 'files of a project or an extension may not change which code runs';
  return notice('refused-variables', `${refused.join(', ')} not set: ${why}`, { detail: { names: refused } });
};

const MAX_NAMES = 20;

export const formatAllowHint = ({ name, command, secrets = [] }: HookConfig, names: readonly string[]): string => {
  const asked = names.filter((one) => secrets.includes(one));
  return asked.length > 0
    ? `it asks for ${asked.join(', ')}: hookwright trust ${JSON.stringify(name ?? command ?? '')} --yes --secrets ${asked.join(',')} lets it see that`
    : 'if the hook needs one, name it in "secrets" of its entry and approve that, or in "allowEnv" of your own settings';
};

export const createWithheldNotice = (hook: HookConfig, names: readonly string[] = []): Notice | undefined => {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const why = names.length === 1 ? 'it looks like a secret, or a way to one' : 'they look like secrets, or ways to one';
  return notice('withheld-variables', `${shown}${more} not passed on: ${why}`, {
    fix: formatAllowHint(hook, names),
    detail: { names },
  });
};

export interface VisibilityRules {
  readonly allowed?: readonly string[] | undefined;
  readonly isListed?: boolean | undefined;
}

const isKept = (name: string, value: string, { allowed = [] }: VisibilityRules): boolean =>
  isAllowedName(name, allowed) || !isLikelySecret(name, value);

const isSeen = (name: string, value: string, seeing: VisibilityRules): boolean =>
  isKept(name, value, seeing) &&
  (seeing.isListed !== true || isListedName(name) || isAllowedName(name, seeing.allowed ?? []));

interface CleanVariables {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  readonly withheld: readonly string[];
}

const MAX_KNOWN = 32;

export class CleanEnvironment {
  readonly #known = new Map<string, CleanVariables>();

  of(environment: Variables, variables: Variables | undefined, seeing: VisibilityRules = {}): CleanVariables {
    const key = [String(seeing.isListed === true), ...(seeing.allowed ?? [])].join('\0');
    let clean = this.#known.get(key);
    if (clean === undefined) {
      const withheld = Object.entries({ ...environment, ...variables }).filter(
        ([name, value]) => !isKept(name, value, seeing),
      );
      clean = {
        environment: Object.fromEntries(
          Object.entries(environment).filter(([name, value]) => isSeen(name, value, seeing)),
        ),
        variables:
          variables &&
          Object.fromEntries(Object.entries(variables).filter(([name, value]) => isKept(name, value, seeing))),
        // The user cannot let hooks see variables of hookwright itself, so these are not reported as withheld.
        withheld: withheld
          .map(([name]) => name)
          .filter((name) => !name.startsWith('HOOKWRIGHT_'))
          .sort(),
      };
      if (this.#known.size === MAX_KNOWN) this.#known.clear();
      this.#known.set(key, clean);
    }
    return clean;
  }
}
