import { HookSystem } from '../../hook-system.ts';
import type { PlanContext } from '../../planner/index.ts';
import type { ConfigFile, LoadedConfig } from '../../settings/index.ts';
import type { Context } from '../context.ts';
import type { CliProblem } from '../outcome.ts';
import type { ConfiguredEntry } from './apparent-duplicates.ts';
import { withoutApparentDuplicates } from './apparent-duplicates.ts';
import { loadSettings } from './load-settings.ts';
import { misnamedSettings } from './misnamed-settings.ts';

export type { ConfiguredEntry } from './apparent-duplicates.ts';

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
  const { config, problems: inSettings } = await loadSettings(context, files);
  const problems = [...inSettings, ...(files === undefined ? await misnamedSettings(config) : [])];
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

/** What to do where nothing is configured at all. */
export const nothingConfigured = (
  { cwd, hasBroken }: Pick<Context, 'cwd' | 'hasBroken'>,
  problems: readonly CliProblem[] = [],
): readonly string[] => {
  const isOutside = problems.some(({ code, hint }) => code === 'unknown-key' && hint === 'put it into "hooks"');
  if (isOutside) return ['No hook counts: the events stand outside of "hooks".'];
  if (hasBroken?.() === true) return ['No hook could be read: correct the settings first.'];
  return beginning(cwd);
};

const beginning = (cwd: string): readonly string[] => [
  `No hooks are configured for ${cwd}.`,
  'Create a first hook, with its test: hookwright init',
  'Or write .hookwright/settings.json by hand, for example:',
  '  { "hooks": { "BeforeTool": [',
  '      { "matcher": "Bash", "hooks": [{ "command": "./check.sh" }] } ] } }',
];
