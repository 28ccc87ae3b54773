// Plans, runs and merges hooks for backtests and race searches, and checks their options.
import { getHookSystem, type HookDeps, type TriggerConfig } from '../../config.ts';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import {
  catalogue,
  type HookEventName,
  type HookInput,
  hookEventNames,
  isHookEventName,
  type PayloadOf,
} from '../../events/index.ts';
import { type EventRunner, HookEventHandler } from '../../handlers/index.ts';
import { describeValue, formatSuggestion, type MaybePromise, omitUndefined } from '../../kit/index.ts';
import { HookAggregator } from '../../merging/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../../models/index.ts';
import { createPlanContext, type HookExecutionPlan, HookPlanner } from '../../planner/index.ts';
import { type HookConfig, type HookExecutionResult, type HookRow, ranOrFaulted } from '../../protocol/index.ts';
import type { HookRegistry } from '../../registry/index.ts';
import { applyToInput, HookRunner, type OnHookEnd, type OnHookStart, type RunnerLimits } from '../../runners/index.ts';
import { isEqualJson } from './compare-fields.ts';
import type { DecisionFault } from './deciding/decision.ts';

export interface TrialEngine {
  readonly config: TriggerConfig;
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  readonly aggregator: HookAggregator;
  readonly translator: AnyHookTranslator;
  readonly deps: Pick<HookDeps, 'translator' | 'clock'>;
  createRunner(): HookRunner;
}

/** `undefined` if hooks are switched off. */
export const openTrialEngine = async (config: TriggerConfig): Promise<TrialEngine | undefined> => {
  const system = getHookSystem(config);
  if (system === undefined) return undefined;
  await system.initialize();
  const registry = system.getRegistry();
  const deps = config.getDeps?.() ?? {};
  const { translator, clock } = deps;
  return {
    config,
    registry,
    planner: new HookPlanner(registry, deps),
    aggregator: new HookAggregator(deps),
    translator: translator ?? defaultHookTranslator,
    deps: { translator, clock },
    createRunner: () => new HookRunner(config, { ...deps, isTrial: true }),
  };
};

export interface PlannedHook {
  readonly row: HookRow;
  readonly config: HookConfig;
}

export interface PlannedRequest {
  readonly plan: HookExecutionPlan | null;
  readonly hooks: readonly PlannedHook[];
  readonly sequential: boolean;
  readonly rows: readonly HookRow[];
}

export const planRequest = <E extends HookEventName>(
  planner: HookPlanner,
  eventName: E,
  payload: PayloadOf<E>,
): PlannedRequest => {
  const context = createPlanContext(eventName, payload);
  const plan = planner.createExecutionPlan(eventName, context);
  const rows = planner.explain(eventName, context);
  if (plan === null) return { plan, hooks: [], sequential: false, rows };
  const running = rows.filter(ranOrFaulted);
  const hooks = plan.hookConfigs.flatMap((config, index) => {
    const row = running[index];
    return row === undefined ? [] : [{ row, config }];
  });
  return { plan, hooks, sequential: plan.sequential, rows };
};

interface TrialStep<E extends HookEventName> {
  readonly hook: HookConfig;
  readonly eventName: E;
  readonly input: HookInput<E>;
  readonly signal: AbortSignal | undefined;
}

export type TrialStepRunner = <E extends HookEventName>(step: TrialStep<E>) => MaybePromise<HookExecutionResult>;

const createStepRunner = (runStep: TrialStepRunner, limits: RunnerLimits | undefined): EventRunner => {
  const run = async <E extends HookEventName>(
    step: TrialStep<E>,
    index: number,
    onStart: OnHookStart | undefined,
    onEnd: OnHookEnd | undefined,
  ): Promise<HookExecutionResult> => {
    const { hook } = step;
    onStart?.(hook, index);
    const result = await runStep(step);
    onEnd?.(hook, result, index);
    return result;
  };
  return {
    ...omitUndefined({ limits }),
    executeHooksParallel: async (hooks, eventName, input, onStart, onEnd, signal) =>
      Promise.all(hooks.map((hook, index) => run({ hook, eventName, input, signal }, index, onStart, onEnd))),
    executeHooksSequential: async (hooks, eventName, input, onStart, onEnd, signal) => {
      const results: HookExecutionResult[] = [];
      let current = input;
      for (const [index, hook] of hooks.entries()) {
        const result = await run({ hook, eventName, input: current, signal }, index, onStart, onEnd);
        results.push(result);
        current = applyToInput(eventName, current, result);
      }
      return results;
    },
  };
};

export const createTrialHandler = (
  { config, aggregator, deps }: TrialEngine,
  plan: HookExecutionPlan | null,
  runStep: TrialStepRunner,
  limits?: RunnerLimits,
): HookEventHandler => {
  const planner = { createExecutionPlan: () => plan };
  const runner = createStepRunner(runStep, limits);
  return new HookEventHandler(config, planner, runner, aggregator, undefined, { ...deps, warnings: false });
};

export const listFaults = (
  hooks: readonly PlannedHook[],
  results: readonly (HookExecutionResult | undefined)[],
): DecisionFault[] =>
  hooks.flatMap(({ row }, index) => {
    const code = results[index]?.code;
    return code === undefined ? [] : [{ hook: row.name, code }];
  });

const emptyBaseFields = { session_id: '', transcript_path: '', cwd: '', hook_event_name: '', timestamp: '' };

export const createUnchangedInput = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  translator: AnyHookTranslator,
): HookInput<E> => ({ ...emptyBaseFields, ...catalogue[eventName].toFields(payload, translator) });

/** Fields that belong to the session, not to the event. */
const emptySessionFields = { ...emptyBaseFields, stop_count: undefined };

export const haveSameInput = (a: object, b: object): boolean =>
  isEqualJson({ ...a, ...emptySessionFields }, { ...b, ...emptySessionFields });

export const throwIfAborted = (signal: AbortSignal | undefined, what: string): void => {
  if (signal?.aborted) throw new HookwrightError('cancelled', `${what} was cancelled`, { cause: signal.reason });
};

export const expectNames = (option: string, names: readonly string[] | undefined): void => {
  if (names === undefined) return;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return;
  throw createInvalidArgument(`${option} must be a list of names, got ${describeValue(names)}`);
};

export const expectKnownNames = (
  what: string,
  names: readonly string[] | undefined,
  known: readonly string[],
): void => {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw createInvalidArgument(`${what} is called "${unknown}"${formatSuggestion(unknown, known)}`);
};

export const expectEventName = (name: string): void => {
  if (isHookEventName(name)) return;
  const message = `${describeValue(name)} is not an event${formatSuggestion(String(name), hookEventNames)}`;
  throw new HookwrightError('unsupported_event', message, { details: { eventName: name, known: hookEventNames } });
};

export const expectPositiveCount = (option: string, value: number | undefined): void => {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw createInvalidArgument(`${option} must be a whole number over 0, got ${describeValue(value)}`);
};
