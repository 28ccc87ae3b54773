/** Reads all configured hooks, each with its row in reports, and explains to the user why a project has none. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue, isHookEventName } from '../../events/index.ts';
import { HookSystem } from '../../hook-system.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { createDuplicateKey, type PlanContext } from '../../planner/index.ts';
import type { HookRow } from '../../protocol/index.ts';
import type { ConfiguredHook } from '../../registry/index.ts';
import type { ConfigFile, LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { isMisnamedFileProblem, loadSettings } from './load-settings.ts';

export interface ConfiguredEntry {
  readonly row: HookRow;
  readonly hook: ConfiguredHook | undefined;
}

const normalizeMatcher = ({ matcher = '' }: HookRow): string => matcher.trim().replace(/^\*$/, '');

const hasSubject = ({ eventName }: HookRow, about: PlanContext | undefined): boolean => {
  const rule = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  return rule === undefined || about?.[rule.from] !== undefined;
};

const isSameHook = (one: ConfiguredEntry, other: ConfiguredEntry): boolean =>
  one.hook?.config !== undefined &&
  other.hook?.config !== undefined &&
  one.row.eventName === other.row.eventName &&
  createDuplicateKey(one.hook.config) === createDuplicateKey(other.hook.config);

/** Without a tool, all matchers match, so a hook under two matchers would be reported as a duplicate. */
const withoutApparentDuplicates = (
  hooks: readonly ConfiguredEntry[],
  about: PlanContext | undefined,
): readonly ConfiguredEntry[] =>
  hooks.map((one, index) => {
    const { row } = one;
    if (row.reason !== 'duplicate' || hasSubject(row, about)) return one;
    const stands = hooks
      .slice(0, index)
      .some((other) => isSameHook(one, other) && normalizeMatcher(other.row) === normalizeMatcher(row));
    if (stands) return one;
    const { reason: _reason, reasons: _reasons, hint: _hint, ...rest } = row;
    return { ...one, row: { ...rest, planned: 'run' } };
  });

export interface Configuration {
  readonly hooks: readonly ConfiguredEntry[];
  readonly problems: readonly CliProblem[];
  readonly config: LoadedConfig;
}

export const readConfiguration = async (
  context: Context,
  { about, files }: { about?: PlanContext | undefined; files?: readonly ConfigFile[] | undefined } = {},
): Promise<Configuration> => {
  const { config, problems } = await loadSettings(context, files);
  return { hooks: await readConfiguredEntries(config, context, about), problems, config };
};

export const readConfiguredEntries = async (
  config: LoadedConfig,
  { signal }: Pick<Context, 'signal'>,
  about?: PlanContext,
): Promise<readonly ConfiguredEntry[]> => {
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize(signal);
  const byId = new Map(
    system
      .getRegistry()
      .getConfiguredHooks()
      .map((hook) => [hook.hookId, hook]),
  );
  const rows = await system.explain(undefined, about);
  const hooks = rows.map((row) => ({ row, hook: byId.get(row.hookId) }));
  return withoutApparentDuplicates(hooks, about);
};

export const hasMisplacedEvents = (problems: readonly CliProblem[]): boolean =>
  problems.some(({ code, hint }) => code === 'unknown-key' && hint === 'put it into "hooks"');

export const formatNoHooks = (
  { cwd, hasUnreadable }: Pick<Context, 'cwd' | 'hasUnreadable'>,
  problems: readonly CliProblem[],
): readonly string[] => {
  if (hasMisplacedEvents(problems)) return ['No hook counts: the events stand outside of "hooks".'];
  const misnamed = problems.find(isMisnamedFileProblem);
  if (misnamed !== undefined) return [`No hook counts: nothing reads ${shortenPath(misnamed.file ?? '', cwd)}.`];
  if (hasUnreadable()) return ['No hook could be read: correct the settings first.'];
  return listFirstSteps(cwd);
};

/** Warns about settings above a repository, because only their approved guards run inside the repository. */
export const formatSettingsAbove = (cwd: string): readonly string[] => {
  const [home, own] = [findHomeDirectory(), join('.hookwright', 'settings.json')];
  for (let at = dirname(cwd); at !== dirname(at) && at !== home; at = dirname(at)) {
    if (!existsSync(join(at, own))) continue;
    const file = shortenPath(join(at, own), cwd);
    return [
      `${file} lies above this repository:`,
      '  of its hooks only approved guards (with "onFault": "deny" or "ask") run here.',
    ];
  }
  return [];
};

const listFirstSteps = (cwd: string): readonly string[] => [
  `No hooks are configured for ${cwd}.`,
  ...formatSettingsAbove(cwd),
  'Create a first hook, with its test: hookwright init',
  'Or write .hookwright/settings.json by hand, for example:',
  '  { "hooks": { "BeforeTool": [',
  '      { "matcher": "Bash", "hooks": [{ "command": "./check.sh" }] } ] } }',
];
