import { likeOrigin } from '../protocol/origin.ts';
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

/** Whose word on everything else counts: a project or an extension never changes what a user or the system set. */
const isHost = (source: ConfigSource): boolean => source !== ConfigSource.Project && source !== ConfigSource.Extensions;

interface Copy {
  readonly config: HookConfig;
  readonly source: ConfigSource;
}

const onFaultOf = ({ onFault }: HookConfig): OnFault => onFault ?? 'allow';
const timeoutOf = ({ timeout }: HookConfig): number => timeout ?? DEFAULT_TIMEOUT_MS;

/**
 * The hook that runs for several copies, with the strictest of their policies. Environment, directory, shell and the
 * like are those of the first copy, or of the first one from outside the project. It is one of the copies itself when
 * none of the others is stricter, so that its identity stays.
 */
export const strictestOf = (first: Copy, others: readonly Copy[]): HookConfig => {
  const copies = [first, ...others];
  const { config } = copies.find(({ source }) => isHost(source)) ?? first;
  const onFault = copies.reduce<OnFault>(
    (strictest, copy) => stricterOnFault(strictest, onFaultOf(copy.config)),
    'allow',
  );
  const timeout = Math.min(...copies.map((copy) => timeoutOf(copy.config)));
  const isStrictest = onFault === onFaultOf(config) && timeout === timeoutOf(config);
  return isStrictest ? config : likeOrigin({ ...config, onFault, timeout }, config);
};
