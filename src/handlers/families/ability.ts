import { type AbilityRun, abilityFates, mergeAbilityResults } from '../../aggregator/index.ts';
import {
  type AbilityContextOf,
  type AbilityEventType,
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
} from '../../events/index.ts';
import { describeThrown } from '../../kit/index.ts';
import type { AbilityPlan, AbilityPlanner, PlannedAbilityHook } from '../../planner/index.ts';
import {
  type AbilityEventResponse,
  type AbilityEventResult,
  type AbilityOnFault,
  emptyAbilityResult,
  exchanges,
  failedAbilityResult,
  type HookExecutionResult,
  type Logger,
  MessageBusType,
  noticeText,
} from '../../protocol/index.ts';
import type { HookRunner } from '../../runners/index.ts';
import { type BackgroundRuns, inBackground } from '../background-runs.ts';
import type { Family, FireOptions, Outcome, Plan, Run } from '../family.ts';

export interface AbilityFireOptions extends FireOptions {
  /** Hooks that are not blocking are left out. By default they are started too, and not waited for. */
  readonly blockingOnly?: boolean | undefined;
  /** Ends the hooks that nobody waits for, which otherwise go on when `signal` has aborted. */
  readonly until?: AbortSignal | undefined;
}

/** A plan of the ability planner, as the stages read it. */
interface AbilityEventPlan extends Plan {
  readonly made: AbilityPlan;
}

/** The five moments of an ability, as types. */
export interface AbilityEvents {
  readonly request: typeof MessageBusType.ABILITY_EVENT_REQUEST;
  readonly events: { readonly [E in AbilityEventType]: { payload: AbilityContextOf<E>; result: AbilityEventResult } };
  readonly options: AbilityFireOptions;
  readonly plan: AbilityEventPlan;
}

export interface AbilityParts {
  readonly planner: AbilityPlanner;
  readonly runner: HookRunner;
  readonly background: BackgroundRuns;
}

export interface AbilityPolicy {
  readonly logger?: Logger | undefined;
  /** Told how each hook ended, those in the background included. */
  readonly onRun?: ((run: AbilityRun & { readonly eventType: AbilityEventType }) => void) | undefined;
  /** What a fault of a blocking hook leads to where its declaration does not say. Default: `skip`. */
  readonly onFault?: AbilityOnFault | undefined;
}

/** What the match blocks are compared with. A context for which nothing runs was never checked. */
const subjectOf = <E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): string | undefined => {
  try {
    const subject: unknown = abilityCatalogue[eventType].match.ability?.(context)[0];
    return typeof subject === 'string' ? subject : undefined;
  } catch {
    return undefined;
  }
};

const answer = (
  correlationId: string,
  eventType: AbilityEventType,
  { result, error }: Outcome<AbilityEventResult>,
): AbilityEventResponse => {
  const type = MessageBusType.ABILITY_EVENT_RESPONSE;
  if (error === undefined) return { type, correlationId, eventType, success: true, result };
  const { code, message, details } = error;
  return { type, correlationId, eventType, success: false, result, error: { code, message, details } };
};

/** Starts those that nobody waits for, and runs the others to their end. */
const run = async (
  { runner, background }: AbilityParts,
  eventType: AbilityEventType,
  context: object,
  { plan, options, watch, signal }: Run<AbilityEvents>,
): Promise<readonly HookExecutionResult[]> => {
  const { hooks } = plan;
  const input = { ...context, event_type: eventType };
  const placesOf = (blocking: boolean): number[] =>
    plan.made.hooks.flatMap(({ hook }, place) => (hook.blocking === blocking ? [place] : []));
  const partOf = (places: readonly number[]) => ({
    configs: places.flatMap((place) => hooks[place] ?? []),
    onStart: (_config: unknown, at: number) => watch.started(places[at] ?? at),
    onEnd: (_config: unknown, result: HookExecutionResult, at: number) => watch.ended(places[at] ?? at, result),
  });
  const others = partOf(placesOf(false));
  background.start(others.configs, eventType, input, others.onStart, others.onEnd, options.until);
  const places = placesOf(true);
  const { configs, onStart, onEnd } = partOf(places);
  const ended = await runner.executeAll(configs, eventType, input, onStart, onEnd, signal);
  return hooks.map((config, place) => ended[places.indexOf(place)] ?? inBackground(config, eventType));
};

/** The hooks of a repository's abilities: the events of `events/abilities/ability-catalogue.ts`. */
export const abilityFamily = (parts: AbilityParts, policy: AbilityPolicy): Family<AbilityEvents> => {
  const { planner, runner, background } = parts;
  const { logger, onRun } = policy;
  const onFaultOf = ({ hook }: PlannedAbilityHook): AbilityOnFault => hook.onFault ?? policy.onFault ?? 'skip';
  const runOf = (planned: PlannedAbilityHook, result: HookExecutionResult): AbilityRun => {
    const { id: hookId, blocking, onLapse } = planned.hook;
    // Whoever can change what a guard runs must not switch it off by that.
    const isLapsed = result.code === 'changed-since-trusted' && onLapse !== undefined;
    return { hookId, blocking, onFault: isLapsed ? onLapse : onFaultOf(planned), result };
  };
  const tellRun = (eventType: AbilityEventType, ended: AbilityRun): void => {
    const { hookId: id, result } = ended;
    for (const warning of result.warnings ?? []) {
      const line = `${eventType}: hook "${id}": ${noticeText(warning)}`;
      // It is so at every run, and its rows have it: whoever wants to know looks there.
      if (warning.code === 'withheld-variables') logger?.debug?.(line);
      else logger?.warn?.(line);
    }
    if (result.code !== undefined) {
      const what = result.error?.message ?? `hook "${id}" ended with the fault ${result.code}`;
      logger?.error?.(`${eventType}: ${what} (fault "${result.code}")`);
    }
    try {
      onRun?.({ eventType, ...ended });
    } catch (error) {
      logger?.warn?.(`onRun threw and was ignored: ${describeThrown(error)}`);
    }
  };
  const merge: Family<AbilityEvents>['merge'] = (eventType, { made }, results, error) => {
    const runs = made.hooks.flatMap((planned, index) => {
      const result = results[index];
      return result === undefined ? [] : [runOf(planned, result)];
    });
    const result = mergeAbilityResults(eventType, runs);
    if (error === undefined) return result;
    const { code, message } = error;
    return { error: { code, message }, ...result, success: false };
  };
  return {
    exchange: exchanges[MessageBusType.ABILITY_EVENT_REQUEST],
    names: abilityEventTypes,
    noun: 'an ability event',
    isEvent: isAbilityEventType,
    read: (eventType, context) => abilityCatalogue[eventType].read(context),
    asked: ({ context: payload, timeoutMs, blockingOnly }) => ({ payload, options: { timeoutMs, blockingOnly } }),
    ready: () => undefined,
    plan: (eventType, context, { blockingOnly }) => {
      const made = planner.plan(eventType, context, { blockingOnly });
      return {
        made,
        hooks: made.hooks.map(({ config }) => config),
        sequential: false,
        subject: subjectOf(eventType, context),
        rows: made.rows,
        isBackground: (index) => made.hooks[index]?.hook.blocking === false,
      };
    },
    run: (eventType, context, how) => run(parts, eventType, context, how),
    isGuard: ({ made }, index) => {
      const planned = made.hooks[index];
      return planned?.hook.blocking === true && onFaultOf(planned) === 'fail';
    },
    narrow: (plan, places) => {
      const isWanted = (_hook: unknown, index: number): boolean => places.includes(index);
      const made = { ...plan.made, hooks: plan.made.hooks.filter(isWanted) };
      return { ...plan, made, hooks: plan.hooks.filter(isWanted) };
    },
    empty: (eventType) => emptyAbilityResult(eventType),
    merge,
    broken: (eventType, error) => failedAbilityResult(eventType, error),
    told: ({ result }) => result,
    fates: () => abilityFates,
    ask: (correlationId, eventType, context, { timeoutMs, blockingOnly }) => ({
      type: MessageBusType.ABILITY_EVENT_REQUEST,
      correlationId,
      eventType,
      context,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(blockingOnly === undefined ? {} : { blockingOnly }),
    }),
    answer,
    onEnd: (eventType, { made }, index, result) => {
      const planned = made.hooks[index];
      if (planned !== undefined) tellRun(eventType, runOf(planned, result));
    },
    limits: () => runner.limits,
    dispose: async () => {
      await Promise.all([runner.dispose(), background.end()]);
    },
  };
};
