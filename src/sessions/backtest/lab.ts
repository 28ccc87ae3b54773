import { type HookDeps, hookSystemOf, type TriggerConfig } from '../../config.ts';
import { HookAggregator } from '../../merging/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../../models/index.ts';
import { HookPlanner } from '../../planner/index.ts';
import type { HookRegistry } from '../../registry/index.ts';
import { HookRunner } from '../../runners/index.ts';

/**
 * The parts of an engine, made anew from a configuration and its hooks: same planner, runner and merge, but nothing
 * that is tried here is reported to a bus or to the host's callbacks.
 */
export interface Lab {
  readonly config: TriggerConfig;
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  readonly aggregator: HookAggregator;
  readonly translator: AnyHookTranslator;
  readonly deps: Pick<HookDeps, 'translator' | 'clock' | 'logger'>;
  /** Runs hooks for real. The caller disposes of it. */
  createRunner(): HookRunner;
}

/** Undefined when hooks are off. Rejects when the hooks cannot be loaded. */
export const openLab = async (config: TriggerConfig): Promise<Lab | undefined> => {
  const system = hookSystemOf(config);
  if (system === undefined) return undefined;
  await system.initialize();
  const registry = system.getRegistry();
  const deps = config.getDeps?.() ?? {};
  const { translator, clock, logger } = deps;
  return {
    config,
    registry,
    planner: new HookPlanner(registry, deps),
    aggregator: new HookAggregator(deps),
    translator: translator ?? defaultHookTranslator,
    deps: { translator, clock, logger },
    createRunner: () => new HookRunner(config, { ...deps, isTrial: true }),
  };
};
