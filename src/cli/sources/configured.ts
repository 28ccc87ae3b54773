/** All hooks of the settings with their rows; the text for a project without any. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue, isHookEventName } from '../../events/index.ts';
import { HookSystem } from '../../hook-system.ts';
import { homeDirectory } from '../../kit/node.ts';
import { duplicateKey, type PlanContext } from '../../planner/index.ts';
import type { HookRow } from '../../protocol/index.ts';
import type { ConfiguredHook } from '../../registry/index.ts';
import type { ConfigFile, LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { shortPath } from '../rendering/short-path.ts';
import { isMisnamed, loadSettings } from './load-settings.ts';

/** An entry of the settings: its row as `explain` gives it, and what is behind it. */
export interface ConfiguredEntry {
  readonly row: HookRow;
  readonly hook: ConfiguredHook | undefined;
}

const matcherOf = ({ matcher = '' }: HookRow): string => matcher.trim().replace(/^\*$/, '');

const hasSubject = ({ eventName }: HookRow, about: PlanContext | undefined): boolean => {
  const rule = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  return rule === undefined || about?.[rule.from] !== undefined;
};

const isSameHook = (one: ConfiguredEntry, other: ConfiguredEntry): boolean =>
  one.hook?.config !== undefined &&
  other.hook?.config !== undefined &&
  one.row.eventName === other.row.eventName &&
  duplicateKey(one.hook.config) === duplicateKey(other.hook.config);

/**
 * Asked about no tool in particular, every matcher counts as matching, and a hook that stands under two of them is taken
 * for a duplicate of itself. Each of the two runs for tools of its own, so here they are what they are: two hooks.
 */
const withoutApparentDuplicates = (
  hooks: readonly ConfiguredEntry[],
  about: PlanContext | undefined,
): readonly ConfiguredEntry[] =>
  hooks.map((one, index) => {
    const { row } = one;
    if (row.reason !== 'duplicate' || hasSubject(row, about)) return one;
    const stands = hooks
      .slice(0, index)
      .some((other) => isSameHook(one, other) && matcherOf(other.row) === matcherOf(row));
    if (stands) return one;
    const { reason: _reason, reasons: _reasons, hint: _hint, ...rest } = row;
    return { ...one, row: { ...rest, planned: 'run' } };
  });

export interface Configuration {
  readonly hooks: readonly ConfiguredEntry[];
  readonly problems: readonly CliProblem[];
  readonly config: LoadedConfig;
}

export interface ConfigurationOptions {
  /** What matchers are compared with. */
  readonly about?: PlanContext | undefined;
  /** Exactly these files, in place of those an agent would find. */
  readonly files?: readonly ConfigFile[] | undefined;
}

/** Every entry of the settings that an agent would read here, in order. Nothing is run. */
export const readConfiguration = async (
  context: Context,
  { about, files }: ConfigurationOptions = {},
): Promise<Configuration> => {
  const { config, problems } = await loadSettings(context, files);
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize(context.signal);
  const byId = new Map(
    system
      .getRegistry()
      .getConfiguredHooks()
      .map((hook) => [hook.hookId, hook]),
  );
  const rows = await system.explain(undefined, about);
  const hooks = rows.map((row) => ({ row, hook: byId.get(row.hookId) }));
  return { hooks: withoutApparentDuplicates(hooks, about), problems, config };
};

/** Whether a file of ours has events beside "hooks" and not in it. */
export const hasEventsOutside = (problems: readonly CliProblem[]): boolean =>
  problems.some(({ code, hint }) => code === 'unknown-key' && hint === 'put it into "hooks"');

/** What to do where nothing is configured at all. */
export const nothingConfigured = (
  { cwd, hasBroken }: Pick<Context, 'cwd' | 'hasBroken'>,
  problems: readonly CliProblem[],
): readonly string[] => {
  if (hasEventsOutside(problems)) return ['No hook counts: the events stand outside of "hooks".'];
  const misnamed = problems.find(isMisnamed);
  if (misnamed !== undefined) return [`No hook counts: nothing reads ${shortPath(misnamed.file ?? '', cwd)}.`];
  if (hasBroken?.() === true) return ['No hook could be read: correct the settings first.'];
  return beginning(cwd);
};

/** Settings in a directory above the repository, of which only the approved guards hold here. */
export const settingsAbove = (cwd: string): readonly string[] => {
  const [home, own] = [homeDirectory(), join('.hookwright', 'settings.json')];
  for (let at = dirname(cwd); at !== dirname(at) && at !== home; at = dirname(at)) {
    if (!existsSync(join(at, own))) continue;
    const file = shortPath(join(at, own), cwd);
    return [
      `${file} lies above this repository:`,
      '  of its hooks only approved guards (with "onFault": "deny" or "ask") run here.',
    ];
  }
  return [];
};

const beginning = (cwd: string): readonly string[] => [
  `No hooks are configured for ${cwd}.`,
  ...settingsAbove(cwd),
  'Create a first hook, with its test: hookwright init',
  'Or write .hookwright/settings.json by hand, for example:',
  '  { "hooks": { "BeforeTool": [',
  '      { "matcher": "Bash", "hooks": [{ "command": "./check.sh" }] } ] } }',
];
