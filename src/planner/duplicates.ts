// Decides whether two hooks do the same, and which of them runs.
import { copyOrigin, getOrigin, type HookConfig, HookType, type OnFault } from '../protocol/index.ts';

const functionIds = new WeakMap<object, number>();
let nextFunctionId = 1;

const getActionId = (action: object | undefined): number => {
  if (action === undefined) return 0;
  const known = functionIds.get(action);
  if (known !== undefined) return known;
  const id = nextFunctionId;
  nextFunctionId += 1;
  functionIds.set(action, id);
  return id;
};

/** Two extensions may have equal command lines that start different files. */
const findExtension = (hook: HookConfig): string | undefined => {
  const { extension, position } = getOrigin(hook) ?? {};
  return extension === undefined ? undefined : (position?.file.replace(/[^\\/]*$/, '') ?? extension);
};

/**
 * Another agent's hook reads other input and answers in another form, so equal command lines do not make duplicates.
 */
const createAgentHookKey = (hook: HookConfig): string | undefined => {
  const dialect = getOrigin(hook)?.dialect;
  if (dialect === undefined) return undefined;
  const { name, event, sameAs } = dialect;
  // Without `sameAs`, the agent runs identical hooks twice, and so does the engine.
  return JSON.stringify([name, event, sameAs ?? getActionId(dialect)]);
};

const sortMembers = (members: Readonly<Record<string, string>> = {}): [string, string][] =>
  Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));

/** Two hooks with the same key do the same. JSON separates the fields, so that no field can imitate another. */
export const createDuplicateKey = (hook: HookConfig): string => createAgentHookKey(hook) ?? createActionKey(hook);

const createActionKey = (hook: HookConfig): string => {
  const { type = HookType.Command, name, command, args, url, cwd, shell, if: condition } = hook;
  const { verdict, reason, prompt, server, tool, input } = hook;
  const parts = [type, name, command, args, url, cwd, shell, condition, verdict, reason, prompt, server, tool, input];
  return JSON.stringify([...parts, getActionId(hook.action), sortMembers(hook.env), findExtension(hook)]);
};

/** The hook runs with the strictest `onFault` of all copies, so that a duplicate cannot weaken a guard. */
export const withStrictestOnFault = (config: HookConfig, copies: readonly HookConfig[]): HookConfig => {
  const present = [config, ...copies].map(({ onFault = 'allow' }) => onFault);
  const onFault = onFaultStrictestFirst.find((one) => present.includes(one));
  return onFault === (config.onFault ?? 'allow') ? config : copyOrigin({ ...config, onFault }, config);
};

const onFaultStrictestFirst: readonly OnFault[] = ['deny', 'ask', 'allow'];
