import { catalogue, type HookEventName, type PayloadOf } from '../../events/index.ts';
import { type HookExecutionPlan, type HookPlanner, planContextOf } from '../../planner/index.ts';
import { type HookConfig, type HookRow, takesPart } from '../../protocol/index.ts';

export interface PlannedHook {
  readonly row: HookRow;
  readonly config: HookConfig;
}

export interface Planned {
  readonly plan: HookExecutionPlan | null;
  readonly hooks: readonly PlannedHook[];
  readonly sequential: boolean;
  /** Of all hooks of the event, also of those that would not run. */
  readonly rows: readonly HookRow[];
}

const nothing: Planned = { plan: null, hooks: [], sequential: false, rows: [] };

export const subjectOf = <E extends HookEventName>(eventName: E, payload: PayloadOf<E>): string | undefined =>
  catalogue[eventName].subject?.of(payload);

export const planFor = <E extends HookEventName>(
  planner: HookPlanner,
  eventName: E,
  payload: PayloadOf<E>,
): Planned => {
  const context = planContextOf(eventName, payload);
  const plan = planner.createExecutionPlan(eventName, context);
  const rows = planner.explain(eventName, context);
  if (plan === null) return { ...nothing, rows };
  const running = rows.filter(takesPart);
  const hooks = plan.hookConfigs.flatMap((config, index) => {
    const row = running[index];
    return row === undefined ? [] : [{ row, config }];
  });
  return { plan, hooks, sequential: plan.sequential, rows };
};
