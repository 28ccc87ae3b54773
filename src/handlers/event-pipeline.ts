import { emptyResult, type HookAggregator } from '../aggregator/aggregator.ts';
import { fatesOf } from '../aggregator/fates.ts';
import type { Bus } from '../bus/bus.ts';
import { createId } from '../bus/create-id.ts';
import { HookwrightError } from '../errors.ts';
import {
  type AggregatedResult,
  catalogue,
  type HookEventName,
  type HookInput,
  type PayloadOf,
} from '../events/catalogue.ts';
import { withinModelText } from '../events/model-text.ts';
import { describeThrown, describeValue, isRecord } from '../kit/index.ts';
import type { HookExecutionPlan, HookPlanner, PlanContext } from '../planner/planner.ts';
import { type Clock, type HostConfig, harmless, type Logger, systemClock, workingDirOf } from '../protocol/host.ts';
import { type BaseHookInput, hasBaseField } from '../protocol/input.ts';
import type { HookExecutionTrace } from '../protocol/messages.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { abortFault, faultResult } from '../runners/faults.ts';
import type { HookRunner } from '../runners/hook-runner.ts';
import { defaultLimits } from '../runners/limits.ts';
import { MAX_NESTING, nestingDepth } from '../runners/nesting.ts';
import { applyOnFault } from '../runners/on-fault.ts';
import { defaultHookTranslator } from '../translator/genai-v1.ts';
import type { AnyHookTranslator } from '../translator/translator.ts';
import { planDeadlineMs } from './deadline.ts';
import { asError } from './failure.ts';
import { Feedback } from './feedback.ts';
import type { HookEvents, OnTrace, Telemetry } from './observers.ts';
import { type Audience, type Report, reportTo } from './report.ts';
import { firedLine, skippedLine } from './telemetry.ts';
import type { Ticket } from './ticket.ts';
import { Timestamps } from './timestamps.ts';

/** How long hooks may take to notice that they were stopped before the answer goes out without them. */
const ABORT_PATIENCE_MS = 25;

/** The parts of a planner the pipeline cannot do without; the rows are used where there are any. */
export type EventPlanner = Pick<HookPlanner, 'createExecutionPlan'> & Partial<Pick<HookPlanner, 'explain'>>;
export type EventRunner = Pick<HookRunner, 'executeHooksParallel' | 'executeHooksSequential'> &
  Partial<Pick<HookRunner, 'limits' | 'dispose'>>;
export type EventAggregator = Pick<HookAggregator, 'aggregateResults'>;

export interface EventPipelineDeps {
  readonly logger?: Logger | undefined;
  readonly events?: HookEvents | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly translator?: AnyHookTranslator | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
  /** Called before an event is planned; a promise is waited for. The hook system loads its hooks here. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
}

/** A merged result, and how each hook ended in configured order. */
export interface DetailedResult<E extends HookEventName> {
  readonly result: AggregatedResult<E>;
  readonly results: readonly HookExecutionResult[];
  /** What kept the event from being handled to its end. */
  readonly error?: HookwrightError;
}

/** One event on its way through the pipeline. */
export interface Firing<E extends HookEventName> {
  readonly eventName: E;
  readonly payload: PayloadOf<E>;
  readonly ticket: Ticket;
  /** The id under which it is known on the bus, if it is. */
  readonly correlationId?: string | undefined;
  /** The payload was checked when it arrived. */
  readonly isChecked?: boolean;
  /** Already planned, by `prepare`. */
  readonly planned?: PlannedEvent | undefined;
}

/** An event for which hooks have to be run. */
export interface PlannedEvent {
  readonly plan: HookExecutionPlan;
  readonly context: PlanContext | undefined;
}

const notReady = (): HookwrightError => new HookwrightError('internal_error', 'The engine is not ready');

/** The result of an event that could not be handled. */
export const broken = <E extends HookEventName>(error: HookwrightError): DetailedResult<E> => {
  const result = emptyResult<E>();
  result.success = false;
  return { result, results: [], error };
};

const isEmpty = (plan: HookExecutionPlan | null): plan is null => plan === null || plan.hookConfigs.length === 0;

const contextOf = <E extends HookEventName>(eventName: E, payload: PayloadOf<E>): PlanContext | undefined => {
  const { subject } = catalogue[eventName];
  return subject === undefined ? undefined : { [subject.from]: subject.of(payload) };
};

const subjectOf = (context: PlanContext | undefined): string | undefined => context?.toolName ?? context?.trigger;

/** Plan, run, aggregate, tell: what happens to one event, whoever fired it. Nothing here rejects or throws. */
export class EventPipeline {
  readonly #config: HostConfig;
  readonly #planner: EventPlanner;
  readonly #runner: EventRunner;
  readonly #aggregator: EventAggregator;
  readonly #deps: EventPipelineDeps;
  readonly #timestamps: Timestamps;
  readonly #translator: AnyHookTranslator;
  readonly #newId: () => string;
  readonly #audience: Audience<HookEventName>;
  readonly #feedback: Feedback | undefined;
  readonly #running = new Set<Ticket>();

  constructor(
    config: HostConfig,
    planner: EventPlanner,
    runner: EventRunner,
    aggregator: EventAggregator,
    bus: Bus | undefined,
    deps: EventPipelineDeps,
  ) {
    this.#config = config;
    this.#planner = planner;
    this.#runner = runner;
    this.#aggregator = aggregator;
    const logger = harmless(deps.logger);
    this.#deps = { ...deps, logger };
    this.#timestamps = new Timestamps(deps.clock ?? systemClock);
    this.#translator = deps.translator ?? defaultHookTranslator;
    this.#newId = deps.idGenerator ?? createId;
    const { events, onTrace, telemetry } = deps;
    this.#audience = { bus, events, onTrace, telemetry, logger };
    if (events?.onFeedback !== undefined) this.#feedback = new Feedback(events.onFeedback, logger);
  }

  createId(): string {
    return this.#newId();
  }

  /**
   * The answer where no hook has to run, which is by far the most frequent case; otherwise the plan. Nothing while the
   * engine is not ready.
   */
  prepare<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    correlationId?: string,
  ): DetailedResult<E> | PlannedEvent | undefined {
    const waiting = this.#deps.ready?.();
    if (waiting !== undefined) {
      // Whoever waits for it in `perform` hears of a failure; here it must only not be called unhandled.
      waiting.catch(() => undefined);
      return undefined;
    }
    const context = contextOf(eventName, payload);
    const plan = this.#planner.createExecutionPlan(eventName, context);
    return isEmpty(plan) ? this.#skip(eventName, context, correlationId) : { plan, context };
  }

  /** Waits for the engine to be ready, plans, and runs what is planned. `finish` shapes the answer on its way out. */
  perform<E extends HookEventName, T>(firing: Firing<E>, finish: (detailed: DetailedResult<E>) => T): Promise<T> {
    const { eventName, ticket } = firing;
    const conclude = (detailed: DetailedResult<E>): T => {
      this.#running.delete(ticket);
      ticket.close();
      return finish(detailed);
    };
    try {
      this.#running.add(ticket);
      const waiting = firing.planned === undefined ? this.#deps.ready?.() : undefined;
      if (waiting === undefined) return this.#planAndRun(firing, conclude);
      const ended = new Promise<HookwrightError>((resolve) => ticket.whenEnded(resolve));
      return Promise.race([waiting, ended]).then(
        (early) => (early === undefined ? this.#planAndRun(firing, conclude) : conclude(broken<E>(early))),
        (error: unknown) => conclude(this.failed(eventName, error)),
      );
    } catch (error) {
      return Promise.resolve(conclude(this.failed(eventName, error)));
    }
  }

  #planAndRun<E extends HookEventName, T>(firing: Firing<E>, conclude: (detailed: DetailedResult<E>) => T): Promise<T> {
    const { eventName, payload, ticket, correlationId } = firing;
    try {
      const planned = firing.planned ?? this.prepare(eventName, payload, correlationId);
      if (planned === undefined || !('plan' in planned)) {
        return Promise.resolve(conclude(planned ?? this.failed(eventName, notReady())));
      }
      const { plan, context } = planned;
      const problem = this.#problemWith(firing);
      if (problem !== undefined) return Promise.resolve(conclude(this.#unstarted(firing, plan, problem)));
      const mode = plan.sequential ? 'sequential' : 'parallel';
      const report = this.#reportOn(eventName, context, correlationId, plan.hookConfigs, mode);
      if (ticket.ended === undefined) return this.#execute(firing, planned, report, conclude);
      report.aborted();
      return Promise.resolve(conclude(this.#unstarted(firing, plan, ticket.ended)));
    } catch (error) {
      return Promise.resolve(conclude(this.failed(eventName, error)));
    }
  }

  #problemWith<E extends HookEventName>({ eventName, payload, isChecked }: Firing<E>): HookwrightError | undefined {
    const read = isChecked === true ? undefined : catalogue[eventName].read(payload);
    if (read?.ok === false) return new HookwrightError('validation_failure', `${eventName}: ${read.message}`);
    if (nestingDepth() < MAX_NESTING) return undefined;
    const message = `${eventName}: hooks fired events ${MAX_NESTING} levels deep; a hook probably fires its own event`;
    return new HookwrightError('internal_error', message);
  }

  /** Runs a plan to its end, or to the end of its ticket, whichever comes first. */
  #execute<E extends HookEventName, T>(
    firing: Firing<E>,
    { plan, context }: PlannedEvent,
    report: Report,
    conclude: (detailed: DetailedResult<E>) => T,
  ): Promise<T> {
    const startedAt = this.#deps.logger?.debug === undefined ? 0 : performance.now();
    const succeed = (results: readonly HookExecutionResult[]): T =>
      conclude(this.#conclude(firing, context, results, report, startedAt));
    const fail = (error: unknown): T => conclude(this.#unstarted(firing, plan, error));
    try {
      return this.#watch(firing, plan, report).then(succeed, fail);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  #watch<E extends HookEventName>(
    firing: Firing<E>,
    plan: HookExecutionPlan,
    report: Report,
  ): Promise<readonly HookExecutionResult[]> {
    const { ticket } = firing;
    if (ticket.signal === undefined) return this.#start(firing, plan, report);
    ticket.limitTo(planDeadlineMs(plan, this.#runner.limits ?? defaultLimits()));
    const finished: (HookExecutionResult | undefined)[] = new Array(plan.hookConfigs.length);
    const results = this.#start(firing, plan, report, finished);
    return Promise.race([results, this.#finishedInTime(firing, plan, finished)]);
  }

  /** The engine failed before the hooks could: a hook whose faults are to deny or to ask has not been heard, and does. */
  #unstarted<E extends HookEventName>(
    { eventName, ticket }: Firing<E>,
    { hookConfigs }: HookExecutionPlan,
    thrown: unknown,
  ): DetailedResult<E> {
    const failed = this.failed(eventName, thrown);
    const guards = hookConfigs.filter((hook) => (hook.onFault ?? 'allow') !== 'allow');
    if (guards.length === 0) return failed;
    const ended = ticket.ended === undefined ? undefined : abortFault(AbortSignal.abort(ticket.ended));
    const fault = ended ?? { code: 'threw', message: `it was not started: ${describeThrown(thrown)}` };
    const results = guards.map((hook) => applyOnFault(faultResult(hook, eventName, fault)));
    try {
      return { ...failed, result: this.#aggregator.aggregateResults(results, eventName), results };
    } catch {
      // An aggregator of the host's that fails twice: what it failed at first is what the caller hears.
      return failed;
    }
  }

  #start<E extends HookEventName>(
    { eventName, payload, ticket }: Firing<E>,
    { hookConfigs, sequential }: HookExecutionPlan,
    report: Report,
    finished?: (HookExecutionResult | undefined)[],
  ): Promise<HookExecutionResult[]> {
    const input = this.#inputFor(eventName, payload);
    const onStart = (_hook: unknown, index: number): void => report.started(index);
    const onEnd = (_hook: unknown, result: HookExecutionResult, index: number): void => {
      if (finished !== undefined) finished[index] = result;
      report.ended(index, result);
    };
    const execute = sequential ? 'executeHooksSequential' : 'executeHooksParallel';
    return ticket.signal === undefined
      ? this.#runner[execute](hookConfigs, eventName, input, onStart, onEnd)
      : this.#runner[execute](hookConfigs, eventName, input, onStart, onEnd, ticket.signal);
  }

  /**
   * What had finished when the request was ended early. Hooks normally notice and end by themselves; this is for those
   * (and for runners) that do not.
   */
  #finishedInTime<E extends HookEventName>(
    { eventName, ticket }: Firing<E>,
    { hookConfigs }: HookExecutionPlan,
    finished: readonly (HookExecutionResult | undefined)[],
  ): Promise<HookExecutionResult[]> {
    return new Promise((resolve) => {
      ticket.whenEnded((reason) => {
        const fault = abortFault(AbortSignal.abort(reason));
        const assemble = (): HookExecutionResult[] =>
          hookConfigs.map((hook, index) => finished[index] ?? applyOnFault(faultResult(hook, eventName, fault)));
        setTimeout(() => resolve(assemble()), ABORT_PATIENCE_MS);
      });
    });
  }

  #conclude<E extends HookEventName>(
    { eventName, payload, ticket }: Firing<E>,
    context: PlanContext | undefined,
    told: readonly HookExecutionResult[],
    report: Report,
    startedAt: number,
  ): DetailedResult<E> {
    try {
      const { modelTextBytes } = this.#runner.limits ?? defaultLimits();
      const results = withinModelText(told, modelTextBytes);
      const result = this.#aggregator.aggregateResults(results, eventName);
      if (!isRecord(result)) throw new TypeError(`the aggregator gave no result but ${describeValue(result)}`);
      const error = ticket.ended;
      if (error !== undefined) result.success = false;
      report.concluded(results);
      const { logger } = this.#deps;
      if (logger?.debug !== undefined) {
        const took = performance.now() - startedAt;
        logger.debug(firedLine(eventName, subjectOf(context), results.length, took, result));
      }
      this.#feedback?.about(eventName, payload, results);
      return error === undefined ? { result, results } : { result, results, error };
    } catch (error) {
      return this.failed(eventName, error);
    }
  }

  #skip<E extends HookEventName>(
    eventName: E,
    context: PlanContext | undefined,
    correlationId: string | undefined,
  ): DetailedResult<E> {
    const { logger } = this.#deps;
    if (logger?.debug !== undefined) logger.debug(skippedLine(eventName, subjectOf(context)));
    this.#reportOn(eventName, context, correlationId, [], 'none').concluded([]);
    return { result: emptyResult<E>(), results: [] };
  }

  #reportOn(
    eventName: HookEventName,
    context: PlanContext | undefined,
    correlationId: string | undefined,
    hooks: readonly HookConfig[],
    mode: HookExecutionTrace['mode'],
  ): Report {
    return reportTo(
      this.#audience,
      () => ({
        eventName,
        subject: subjectOf(context),
        mode,
        hooks,
        plannedRows: () => this.#planner.explain?.(eventName, context),
        correlationId: () => correlationId ?? this.#newId(),
        fates: (results, hookIds) => fatesOf(results, eventName, hookIds),
      }),
      this.#timestamps,
    );
  }

  /** The base fields are ours: a payload that brings its own does not replace them. */
  #inputFor<E extends HookEventName>(eventName: E, payload: PayloadOf<E>): HookInput<E> {
    const config = this.#config;
    const fields = catalogue[eventName].toFields(payload, this.#translator);
    // One literal that ends in the spread: any other way to write it takes up to thirty times as long.
    const input = {
      session_id: config.getSessionId(),
      transcript_path: config.getTranscriptPath?.() ?? '',
      cwd: workingDirOf(config),
      hook_event_name: eventName,
      timestamp: this.#timestamps.now(),
      ...fields,
    };
    return hasBaseField(payload) ? { ...input, ...this.#baseOf(eventName) } : input;
  }

  #baseOf(eventName: HookEventName): BaseHookInput {
    const config = this.#config;
    return {
      session_id: config.getSessionId(),
      transcript_path: config.getTranscriptPath?.() ?? '',
      cwd: workingDirOf(config),
      hook_event_name: eventName,
      timestamp: this.#timestamps.now(),
    };
  }

  /** An infrastructure error: told to the log, and to the caller as a failed result. The agent goes on. */
  failed<E extends HookEventName>(eventName: E, thrown: unknown): DetailedResult<E> {
    this.#deps.logger?.warn?.(`${String(eventName)} could not be fired as it should: ${describeThrown(thrown)}`);
    return broken(asError('internal_error', thrown));
  }

  /** Ends everything that runs; what had finished is in the answers. */
  endAll(reason: HookwrightError): void {
    for (const ticket of [...this.#running]) ticket.end(reason);
  }
}
