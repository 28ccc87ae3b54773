// Restricts which environment variables hooks of a project or an extension (foreign hooks) may see and set.
import { joinNames, RecentMap } from '../../kit/index.ts';
import {
  ConfigSource,
  canOthersChangeHook,
  canSteerPrograms,
  getOrigin,
  type HookConfig,
  isAllowedName,
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
  return origin?.position !== undefined && canOthersChangeHook(origin.source, hook);
};

export const runsInAllProjects = (hook: HookConfig): boolean => {
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
    const isAllRefused = refused.length === Object.keys(env).length;
    own = { env: isAllRefused ? undefined : selectVariables(env, (name) => !refused.includes(name)), refused };
    ownVariablesByHook.set(hook, own);
  }
  return own;
};

export const getOwnVariables = (hook: HookConfig): Variables | undefined => splitOwnVariables(hook).env;

/** Reports variables that the hook may not set, and `withheld` ones that it may not see. */
export const listVariableNotices = (hook: HookConfig, withheld: readonly string[] = []): Notice[] => {
  const { refused } = splitOwnVariables(hook);
  return [
    ...(refused.length === 0 ? [] : [createRefusedNotice(refused)]),
    ...(withheld.length === 0 ? [] : [createWithheldNotice(hook, withheld)]),
  ];
};

const createRefusedNotice = (names: readonly string[]): Notice => {
  const why = 'files of a project or an extension may not change which code runs';
  return notice('refused-variables', `${names.join(', ')} not set: ${why}`, { detail: { names } });
};

export const formatAllowHint = ({ name, command, secrets = [] }: HookConfig, names: readonly string[]): string => {
  const asked = names.filter((one) => secrets.includes(one));
  return asked.length > 0
    ? `it asks for ${asked.join(', ')}: hookwright trust ${JSON.stringify(name ?? command ?? '')} --yes --secrets ${asked.join(',')} lets it see that`
    : 'if the hook needs one, name it in "secrets" of its entry and approve that, or in "allowEnv" of your own settings';
};

const createWithheldNotice = (hook: HookConfig, names: readonly string[]): Notice => {
  const why = names.length === 1 ? 'it looks like a secret, or a way to one' : 'they look like secrets, or ways to one';
  return notice('withheld-variables', `${joinNames(names)} not passed on: ${why}`, {
    fix: formatAllowHint(hook, names),
    detail: { names },
  });
};

interface VisibilityRules {
  readonly allowed?: readonly string[] | undefined;
  readonly isListed?: boolean | undefined;
}

const selectVariables = (variables: Variables, isWanted: (name: string, value: string) => boolean): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name, value]) => isWanted(name, value)));

interface CleanVariables {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  readonly withheld: readonly string[];
}

/** Caches the variables that a hook may see, by its visibility rules. */
export class CleanEnvironment {
  readonly #known = new RecentMap<CleanVariables>(32);

  of(
    environment: Variables,
    variables: Variables | undefined,
    { allowed = [], isListed = false }: VisibilityRules = {},
  ): CleanVariables {
    const key = [String(isListed), ...allowed].join('\0');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isKept = (name: string, value: string): boolean =>
      isAllowedName(name, allowed) || !isLikelySecret(name, value);
    const isSeen = (name: string, value: string): boolean =>
      isKept(name, value) && (!isListed || isListedName(name) || isAllowedName(name, allowed));
    const withheld = selectVariables({ ...environment, ...variables }, (name, value) => !isKept(name, value));
    const clean = {
      environment: selectVariables(environment, isSeen),
      variables: variables && selectVariables(variables, isKept),
      // The user cannot let hooks see variables of hookwright itself, so these are not reported as withheld.
      withheld: Object.keys(withheld)
        .filter((name) => !name.startsWith('HOOKWRIGHT_'))
        .sort(),
    };
    this.#known.set(key, clean);
    return clean;
  }
}
