/** Loads the settings and the hooks that `test` runs. */
import { HookSystem } from '../../hook-system.ts';
import { isFile } from '../../kit/node.ts';
import type { ConfiguredHook } from '../../registry/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { findNamedFiles } from '../../trust/index.ts';
import { loadOptionsForAgent, type SelectedAgent } from '../agents/select-agent.ts';
import { toMatcherContext } from '../arguments/payload.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { isUnintendedSkip } from './mismatches.ts';
import type { EventNameMapper, HookTest } from './read-tests.ts';

export interface TestBench {
  readonly config: LoadedConfig;
  readonly system: HookSystem;
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly CliProblem[];
  readonly trustsProject: boolean;
  readonly scripts: readonly string[];
  readonly momentOf?: EventNameMapper | undefined;
}

/** `trustProject` approves all hooks, but only in memory. */
export const setUpTestBench = async (
  context: Pick<Context, 'cwd' | 'env' | 'signal' | 'reportUnreadable'>,
  trustProject: boolean,
  selected?: SelectedAgent,
): Promise<TestBench> => {
  const deps = trustProject ? { trustCheck: () => true } : undefined;
  const { cwd, signal } = context;
  const { config, problems } = await (selected === undefined
    ? loadSettings(context, undefined, { deps })
    : loadSettings(context, [], { deps, ...loadOptionsForAgent(selected) }));
  const system = new HookSystem(config, undefined, { ...config.getDeps(), isTrial: true });
  await system.initialize(signal);
  const hooks = system.getRegistry().getConfiguredHooks();
  const where = { projectDir: config.getProjectDir(), cwd };
  const scripts = hooks.flatMap((hook) => (hook.config === undefined ? [] : findNamedFiles(hook.config, where).files));
  const paths = [...new Set(scripts.map(({ path }) => path))].filter(isFile);
  const momentOf = selected === undefined ? undefined : (event: string) => selected.agent.findMoment(event);
  return { config, system, hooks, problems, trustsProject: trustProject, scripts: paths, momentOf };
};

export const loadHooksInTest = async (
  { system }: TestBench,
  { event, payload, only, expect }: HookTest,
): Promise<Set<string>> => {
  const rows = await system.explain(event, toMatcherContext({ ...payload }, undefined));
  const running = rows.filter(
    (row) => (row.planned === 'run' || isUnintendedSkip(row)) && (only.length === 0 || only.includes(row.name)),
  );
  return new Set([
    ...running.flatMap(({ name, hookId }) => [name, hookId]),
    ...only,
    ...Object.keys(expect.hooks ?? {}),
  ]);
};
