import {
  type HookEventName,
  HookPlanner,
  type HookPlannerDeps,
  HookRegistry,
  type HookRow,
  type HooksByEvent,
  type HostConfig,
  type PlanContext,
} from '../../src/index.ts';
import { commands, group, hostWith } from '../support/host.ts';

export interface Bench {
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  /** Names of the hooks that would run, or null. */
  plan(eventName: HookEventName, context?: PlanContext): (string | undefined)[] | null;
  /** Each row in a few words. */
  rows(eventName?: string, context?: PlanContext): string[];
}

export type Host = Partial<HostConfig> & { hooks?: HooksByEvent };

export const benchOf = async (host: Host = {}, deps: HookPlannerDeps = {}): Promise<Bench> => {
  const registry = new HookRegistry(hostWith(host));
  await registry.initialize();
  const planner = new HookPlanner(registry, deps);
  return {
    registry,
    planner,
    plan: (eventName, context) =>
      planner.createExecutionPlan(eventName, context)?.hookConfigs.map((hook) => hook.name ?? hook.command) ?? null,
    rows: (eventName, context) => planner.explain(eventName, context).map(inWords),
  };
};

const inWords = (row: HookRow): string => `${row.name}: ${row.reasons?.join(' ') ?? row.planned}`;

export const matching = (...matchers: (string | undefined)[]): HooksByEvent[string] =>
  matchers.map((matcher, index) =>
    group(commands(`h${index + 1}`)[0]?.hooks ?? [], matcher === undefined ? {} : { matcher }),
  );
