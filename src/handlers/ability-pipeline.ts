import { type AbilityRun, abilityFates, mergeAbilityResults } from '../aggregator/ability-results.ts';
import type { Bus } from '../bus/bus.ts';
import { createId } from '../bus/create-id.ts';
import { HookwrightError } from '../errors.ts';
import { abilityCatalogue } from '../events/ability-catalogue.ts';
import type { AbilityContextOf, AbilityEventType } from '../events/ability-contexts.ts';
import { describeThrown } from '../kit/index.ts';
import type { AbilityPlan, AbilityPlanner, PlannedAbilityHook } from '../planner/ability-planner.ts';
import type { AbilityOnFault } from '../protocol/ability-hook.ts';
import { emptyAbilityResult } from '../protocol/ability-result.ts';
import { type Clock, harmless, type Logger, systemClock } from '../protocol/host.ts';
import { noticeText } from '../protocol/notices.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import { abortFault, faultResult } from '../runners/faults.ts';
import type { HookRunner } from '../runners/hook-runner.ts';
import { MAX_NESTING, nestingDepth } from '../runners/nesting.ts';
import { type AbilityFiring, type AbilityOutcome, brokenAbility, inBackground, subjectOf } from './ability-firing.ts';
import type { BackgroundRuns } from './background-runs.ts';
import { planDeadlineMs } from './deadline.ts';
import { asError } from './failure.ts';
import { missingRuns } from './missing-runs.ts';
import type { HookEvents, OnTrace, Telemetry } from './observers.ts';
import { type Audience, type Report, reportTo } from './report.ts';
import type { Ticket } from './ticket.ts';
import { Timestamps } from './timestamps.ts';

export interface AbilityPipelineDeps {
  readonly logger?: Logger | undefined;
  readonly events?: HookEvents<AbilityEventType> | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: Telemetry<AbilityEventType> | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
  /** Told how each hook ended, those in the background included. */
  readonly onRun?: ((run: AbilityRun & { readonly eventType: AbilityEventType }) => void) | undefined;
  /** What a fault of a blocking hook leads to where its declaration does not say. Default: `skip`. */
  readonly onFault?: AbilityOnFault | undefined;
}

/** The parts the pipeline joins. */
export interface AbilityParts {
  readonly planner: AbilityPlanner;
  readonly runner: HookRunner;
  readonly background: BackgroundRuns;
}

/** Plan, run, merge, tell: what happens to one event of the ability system. Nothing here rejects or throws. */
export class AbilityPipeline {
  readonly #parts: AbilityParts;
  readonly #deps: AbilityPipelineDeps;
  readonly #audience: Audience<AbilityEventType>;
  readonly #timestamps: Timestamps;
  readonly #newId: () => string;
  readonly #running = new Set<Ticket>();

  constructor(parts: AbilityParts, bus: Bus | undefined, deps: AbilityPipelineDeps) {
    this.#parts = parts;
    const logger = harmless(deps.logger);
    this.#deps = { ...deps, logger };
    const { events, onTrace, telemetry } = deps;
    this.#audience = { bus, events, onTrace, telemetry, logger };
    this.#timestamps = new Timestamps(deps.clock ?? systemClock);
    this.#newId = deps.idGenerator ?? createId;
  }

  createId(): string {
    return this.#newId();
  }

  /** The answer where no hook has to run; otherwise the plan. */
  prepare<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    blockingOnly: boolean | undefined,
    correlationId?: string,
  ): AbilityOutcome | AbilityPlan {
    const plan = this.#parts.planner.plan(eventType, context, { blockingOnly });
    if (plan.hooks.length > 0) return plan;
    this.#reportOn(eventType, context, plan, correlationId).concluded([]);
    if (plan.missing.length === 0) return { result: emptyAbilityResult(eventType) };
    return this.#outcome(eventType, plan, [], undefined);
  }

  /** Runs what is planned: blocking hooks to their end or to that of the ticket, the others beside it. */
  async perform<E extends AbilityEventType>(firing: AbilityFiring<E>): Promise<AbilityOutcome> {
    const { ticket, eventType, plan } = firing;
    this.#running.add(ticket);
    try {
      const problem = this.#problemWith(firing);
      return problem === undefined ? await this.#run(firing) : this.#unstarted(eventType, plan, problem);
    } catch (error) {
      return this.#unstarted(eventType, plan, asError('internal_error', error));
    } finally {
      this.#running.delete(ticket);
      ticket.close();
    }
  }

  #problemWith<E extends AbilityEventType>(firing: AbilityFiring<E>): HookwrightError | undefined {
    const { eventType, context, isChecked, ticket } = firing;
    const read = isChecked === true ? undefined : abilityCatalogue[eventType].read(context);
    if (read?.ok === false) return new HookwrightError('validation_failure', `${eventType}: ${read.message}`);
    if (nestingDepth() >= MAX_NESTING) {
      return new HookwrightError('internal_error', `${eventType}: hooks fired events ${MAX_NESTING} levels deep`);
    }
    return ticket.ended;
  }

  async #run<E extends AbilityEventType>(firing: AbilityFiring<E>): Promise<AbilityOutcome> {
    const { eventType, context, ticket, plan, correlationId } = firing;
    const { runner, background } = this.#parts;
    const report = this.#reportOn(eventType, context, plan, correlationId);
    const input = { ...context, event_type: eventType };
    const results = plan.hooks.map(({ config }) => inBackground(config, eventType));
    const partOf = (blocking: boolean) => {
      const places = plan.hooks.flatMap((planned, index) => (planned.hook.blocking === blocking ? [index] : []));
      const placeOf = (at: number): number => places[at] ?? at;
      return {
        configs: places.flatMap((place) => plan.hooks[place]?.config ?? []),
        onStart: (_config: unknown, at: number) => report.started(placeOf(at)),
        onEnd: (_config: unknown, result: HookExecutionResult, at: number) => {
          const planned = plan.hooks[placeOf(at)];
          if (blocking) results[placeOf(at)] = result;
          report.ended(placeOf(at), result);
          if (planned !== undefined) this.#tellRun(eventType, this.#runOf(planned, result));
        },
      };
    };
    const others = partOf(false);
    background.start(others.configs, eventType, input, others.onStart, others.onEnd, firing.until);
    const { configs, onStart, onEnd } = partOf(true);
    if (ticket.signal !== undefined) {
      ticket.limitTo(planDeadlineMs({ hookConfigs: configs, sequential: false }, runner.limits));
    }
    await runner.executeAll(configs, eventType, input, onStart, onEnd, ticket.signal);
    report.concluded(results);
    return this.#outcome(eventType, plan, results, ticket.ended);
  }

  #outcome(
    eventType: AbilityEventType,
    plan: AbilityPlan,
    results: readonly HookExecutionResult[],
    error: HookwrightError | undefined,
  ): AbilityOutcome {
    const runs = plan.hooks.flatMap((planned, index) => {
      const result = results[index];
      return result === undefined ? [] : [this.#runOf(planned, result)];
    });
    const missing = missingRuns(plan, eventType);
    for (const run of missing) this.#tellRun(eventType, run);
    const result = mergeAbilityResults(eventType, [...runs, ...missing]);
    if (error === undefined) return { result };
    const { code, message } = error;
    return { result: { error: { code, message }, ...result, success: false }, error };
  }

  /** The engine failed before the hooks could: one that must not fail has not been heard, and counts as failed. */
  #unstarted(eventType: AbilityEventType, plan: AbilityPlan, error: HookwrightError): AbilityOutcome {
    this.#deps.logger?.warn?.(`${eventType} could not be fired as it should: ${error.message}`);
    const { code } = error;
    const isAbort = code === 'deadline_exceeded' || code === 'cancelled' || code === 'disposed';
    const message = `it was not started: ${error.message}`;
    const fault = isAbort ? abortFault(AbortSignal.abort(error)) : ({ code: 'threw', message } as const);
    const guards = plan.hooks.filter((planned) => planned.hook.blocking && this.#onFaultOf(planned) === 'fail');
    const results = guards.map(({ config }) => faultResult(config, eventType, fault));
    return this.#outcome(eventType, { ...plan, hooks: guards }, results, error);
  }

  #onFaultOf({ hook }: PlannedAbilityHook): AbilityOnFault {
    return hook.onFault ?? this.#deps.onFault ?? 'skip';
  }

  #runOf(planned: PlannedAbilityHook, result: HookExecutionResult): AbilityRun {
    const { id: hookId, blocking, onLapse } = planned.hook;
    // Whoever can change what a guard runs must not switch it off by that.
    const isLapsed = result.code === 'changed-since-trusted' && onLapse !== undefined;
    return { hookId, blocking, onFault: isLapsed ? onLapse : this.#onFaultOf(planned), result };
  }

  #tellRun(eventType: AbilityEventType, run: AbilityRun): void {
    const { logger, onRun } = this.#deps;
    const { hookId: id, result } = run;
    for (const warning of result.warnings ?? []) logger?.warn?.(`${eventType}: hook "${id}": ${noticeText(warning)}`);
    if (result.code !== undefined) {
      const what = result.error?.message ?? `hook "${id}" ended with the fault ${result.code}`;
      logger?.error?.(`${eventType}: ${what} (fault "${result.code}")`);
    }
    try {
      onRun?.({ eventType, ...run });
    } catch (error) {
      logger?.warn?.(`onRun threw and was ignored: ${describeThrown(error)}`);
    }
  }

  #reportOn<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    plan: AbilityPlan,
    correlationId: string | undefined,
  ): Report {
    return reportTo(
      this.#audience,
      () => ({
        eventName: eventType,
        subject: subjectOf(eventType, context),
        mode: plan.hooks.length === 0 ? 'none' : 'parallel',
        hooks: plan.hooks.map(({ config }) => config),
        plannedRows: plan.rows,
        correlationId: () => correlationId ?? this.#newId(),
        fates: abilityFates,
      }),
      this.#timestamps,
    );
  }

  /** An event that could not be handled. */
  failed(eventType: string, thrown: unknown): AbilityOutcome {
    const error = asError('internal_error', thrown);
    this.#deps.logger?.warn?.(`${eventType} could not be fired as it should: ${error.message}`);
    return brokenAbility(eventType, error);
  }

  /** Ends everything somebody waits for; what had finished is in the answers. */
  endAll(reason: HookwrightError): void {
    for (const ticket of [...this.#running]) ticket.end(reason);
  }
}
