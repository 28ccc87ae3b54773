// What hooks of a project or an extension may see and set of the environment.
import {
  ConfigSource,
  type HookConfig,
  isAllowedName,
  isBroughtByProject,
  isListedName,
  looksSecret,
  type Notice,
  notice,
  originOf,
  steersPrograms,
} from '../../protocol/index.ts';
import type { Variables } from './shell-words.ts';

/**
 * Whether another author may have written a hook: its file or its program is in the project or in an extension. Such
 * hooks get no secrets and must not decide which code runs. Hooks from code, the user and the system get what they ask
 * for.
 */
export const isForeign = (hook: HookConfig): boolean => {
  const origin = originOf(hook);
  if (origin?.position === undefined) return false;
  return isBroughtByProject(origin.source, hook);
};

/** Whether a hook is from the user's or the system's settings, and so runs in all projects. */
export const holdsEverywhere = (hook: HookConfig): boolean => {
  const { source, programInProject } = originOf(hook) ?? {};
  return programInProject === undefined && (source === ConfigSource.User || source === ConfigSource.System);
};

interface Own {
  readonly env: Variables | undefined;
  readonly refused: readonly string[];
}

const known = new WeakMap<HookConfig, Own>();

const ownOf = (hook: HookConfig): Own => {
  const { env } = hook;
  if (env === undefined || !isForeign(hook)) return { env, refused: [] };
  let own = known.get(hook);
  if (own === undefined) {
    const refused = Object.keys(env).filter(steersPrograms);
    const kept = Object.entries(env).filter(([name]) => !refused.includes(name));
    own = { env: kept.length === 0 ? undefined : Object.fromEntries(kept), refused };
    known.set(hook, own);
  }
  return own;
};

/** The variables in the `env` of a hook that it may set. */
export const ownVariables = (hook: HookConfig): Variables | undefined => ownOf(hook).env;

/** Warns about variables that were not set; `undefined` if there are none. */
export const refusedVariables = (hook: HookConfig): Notice | undefined => {
  const { refused } = ownOf(hook);
  if (refused.length === 0) return undefined;
  const why = 'files of a project or an extension may not change which code runs';
  return notice('refused-variables', `${refused.join(', ')} not set: ${why}`, { detail: { names: refused } });
};

const MAX_NAMES = 20;

/** How a hook gets a secret: it names the variable, and the user allows that name. */
export const allowVariablesHint = ({ name, command, secrets = [] }: HookConfig, names: readonly string[]): string => {
  const asked = names.filter((one) => secrets.includes(one));
  return asked.length > 0
    ? `it asks for ${asked.join(', ')}: hookwright trust ${JSON.stringify(name ?? command ?? '')} --yes --secrets ${asked.join(',')} lets it see that`
    : 'if the hook needs one, name it in "secrets" of its entry and approve that, or in "allowEnv" of your own settings';
};

/** Warns about variables that were withheld, by name, so that the user can allow one; `undefined` if there are none. */
export const withheldVariables = (hook: HookConfig, names: readonly string[] = []): Notice | undefined => {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const why = names.length === 1 ? 'it looks like a secret, or a way to one' : 'they look like secrets, or ways to one';
  return notice('withheld-variables', `${shown}${more} not passed on: ${why}`, {
    fix: allowVariablesHint(hook, names),
    detail: { names },
  });
};

/** Rules for what foreign hooks see of an environment. */
export interface VisibilityRules {
  /** Names that they always see. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether they see only listed variables of the host. */
  readonly isListed?: boolean | undefined;
}

const isKept = (name: string, value: string, { allowed = [] }: VisibilityRules): boolean =>
  isAllowedName(name, allowed) || !looksSecret(name, value);

const isSeen = (name: string, value: string, seeing: VisibilityRules): boolean =>
  isKept(name, value, seeing) &&
  (seeing.isListed !== true || isListedName(name) || isAllowedName(name, seeing.allowed ?? []));

interface Clean {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  readonly withheld: readonly string[];
}

/** Few hooks ask for secrets, and fewer for different ones. */
const MAX_KNOWN = 32;

/** The environment for foreign hooks, computed once instead of for every run. */
export class CleanEnvironment {
  readonly #known = new Map<string, Clean>();

  of(environment: Variables, variables: Variables | undefined, seeing: VisibilityRules = {}): Clean {
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
        // Hooks cannot ask for variables of ours, so these are not reported.
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
