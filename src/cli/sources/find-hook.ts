/** Finds configured hooks by name, command or id. */
import { findAgentsWithFiles } from '../../agents/cli-api.ts';
import { HookSystem } from '../../hook-system.ts';
import { formatSuggestion } from '../../kit/index.ts';
import { findByName, shortenHookName } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { Context } from '../context.ts';
import { formatLocation } from '../rendering/problem-lines.ts';
import { NotFoundError, UsageError } from '../usage-error.ts';
import { type DeclaredHook, readAbilityHooks } from './ability-hooks.ts';
import { loadSettings } from './load-settings.ts';
import type { Configuration, ConfiguredEntry } from './read-configuration.ts';

export interface NamedHooks {
  readonly name: string;
  readonly hooks: readonly ConfiguredEntry[];
  readonly config: LoadedConfig;
}

const createAbilityHookError = (name: string, { row: { source } }: DeclaredHook, { cwd }: Context): UsageError =>
  new UsageError(
    `${name} is an ability hook: it is switched on and off in its own file`,
    `write enabled: true or enabled: false in ${formatLocation({ file: source.file }, cwd) ?? '.system/hooks'}`,
  );

const findAgentHookError = async (wish: string, context: Context): Promise<UsageError | undefined> => {
  const others = (await findAgentsWithFiles(context)).filter(({ isReadByEngine }) => !isReadByEngine);
  if (others.length === 0) return undefined;
  const agents = Object.fromEntries(others.map(({ agent }) => [agent.name, true]));
  const { config } = await loadSettings(context, [], { agents });
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize(context.signal);
  const [row] = findByName(wish, await system.explain(), ({ name }) => name);
  if (row === undefined) return undefined;
  const disabled = JSON.stringify({ hooksConfig: { disabled: [row.name] } });
  return new UsageError(
    `${shortenHookName(row.name)} is in ${formatLocation({ file: row.source.file }, context.cwd)}, a file of another agent`,
    `take it out there, or for agents that run it in place write ${disabled} into ~/.hookwright/settings.json`,
  );
};

export const findHooks = async (
  names: readonly string[],
  all: Configuration,
  context: Context,
): Promise<readonly ConfiguredEntry[]> => {
  if (names.length === 0) return all.hooks;
  const found = await Promise.all(names.map((name) => findHook(name, all, context)));
  return [...new Set(found.flatMap(({ hooks }) => hooks))];
};

export const findHook = async (
  wish: string,
  { hooks, config }: Configuration,
  context: Context,
  listed: readonly string[] = [],
): Promise<NamedHooks> => {
  const [short] = findByName(wish, hooks, ({ row }) => row.name);
  const name = (hooks.find(({ row }) => row.hookId === wish) ?? short)?.row.name ?? wish;
  const meant = hooks.filter(({ row }) => row.name === name);
  if (meant.length > 0 || listed.includes(name)) return { name, hooks: meant, config };
  const declared = (await readAbilityHooks(config)).declared.find(({ row }) => row.name === name);
  if (declared !== undefined) throw createAbilityHookError(name, declared, context);
  const elsewhere = await findAgentHookError(wish, context);
  if (elsewhere !== undefined) throw elsewhere;
  const known = [...hooks.map(({ row }) => row.name), ...listed];
  if (known.length === 0 && context.hasUnreadable())
    throw new NotFoundError(
      `no hook could be read, so none called ${JSON.stringify(wish)}`,
      'correct the settings first',
    );
  throw createUnknownHookError(wish, known, 'none is configured here');
};

export const createUnknownHookError = (wish: string, known: readonly string[], ifNone: string): UsageError => {
  const names = [...new Set(known)];
  return new UsageError(
    `no hook is called ${JSON.stringify(wish)}${formatSuggestion(wish, names)}`,
    names.length === 0 ? ifNone : `there are: ${names.join(', ')}`,
  );
};
