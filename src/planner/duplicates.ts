import { ConfigSource, DEFAULT_TIMEOUT_MS, type HookConfig, HookType, type OnFault } from '../protocol/settings.ts';

const functionIds = new WeakMap<object, number>();
let nextFunctionId = 1;

const idOf = (action: HookConfig['action']): number => {
  if (action === undefined) return 0;
  const known = functionIds.get(action);
  if (known !== undefined) return known;
  const id = nextFunctionId;
  nextFunctionId += 1;
  functionIds.set(action, id);
  return id;
};

/** Two hooks with the same key do the same thing. Fields are joined so that no text can pose as another's. */
export const duplicateKey = (hook: HookConfig): string =>
  JSON.stringify([hook.type ?? HookType.Command, hook.name, hook.command, hook.args, hook.url, idOf(hook.action)]);

const strictness: Readonly<Record<OnFault, number>> = { allow: 0, ask: 1, deny: 2 };

const stricterOnFault = (a: OnFault, b: OnFault): OnFault => (strictness[b] > strictness[a] ? b : a);

/** Whose word on the environment counts: a project or an extension never changes what a user or the system set. */
const isHost = (source: ConfigSource): boolean => source !== ConfigSource.Project && source !== ConfigSource.Extensions;

interface Copy {
  readonly config: HookConfig;
  readonly source: ConfigSource;
}

/**
 * The hook that runs for several copies: the first one, with the stricter of their policies. Returns the first as it is
 * when no other copy is stricter, so that its identity stays.
 */
export const strictestOf = (first: Copy, others: readonly Copy[]): HookConfig => {
  let onFault = first.config.onFault ?? 'allow';
  let timeout = first.config.timeout ?? DEFAULT_TIMEOUT_MS;
  let envOwner = first;
  for (const other of others) {
    onFault = stricterOnFault(onFault, other.config.onFault ?? 'allow');
    timeout = Math.min(timeout, other.config.timeout ?? DEFAULT_TIMEOUT_MS);
    if (!isHost(envOwner.source) && isHost(other.source)) envOwner = other;
  }
  const unchanged =
    onFault === (first.config.onFault ?? 'allow') &&
    timeout === (first.config.timeout ?? DEFAULT_TIMEOUT_MS) &&
    envOwner === first;
  return unchanged ? first.config : { ...first.config, onFault, timeout, env: envOwner.config.env };
};
