import { firstValueFrom, from, map, mergeMap, Observable, race } from 'rxjs';
import type { Bus } from '../bus/index.ts';
import { createId } from '../bus/internal.ts';
import { type ErrorCode, HookwrightError } from '../errors.ts';
import { describeThrown } from '../kit/index.ts';
import {
  ABORT_PATIENCE_MS,
  type Clock,
  type HookExecutionResult,
  type Logger,
  partLogger,
  systemClock,
} from '../protocol/index.ts';
import {
  abortFault,
  applyOnFault,
  faultResult,
  MAX_NESTING,
  nestingDepth,
  runAtDepth,
  withTraceParent,
} from '../runners/index.ts';
import { inBackground } from './background-runs.ts';
import {
  after,
  type Family,
  type Firing,
  type Later,
  type Outcome,
  type Plan,
  type SecondRound,
  unsupportedEvent,
} from './firing.ts';
import { disposed, type EventLifetime, InFlight } from './lifetime.ts';
import { Progress } from './progress.ts';
import { overBudgetLine } from './reporting/budget.ts';
import { Feedback } from './reporting/feedback.ts';
import { type Audience, isTraced, reportOn, tellDecision } from './reporting/live-report.ts';
import { firedLine, skippedLine } from './reporting/log-lines.ts';
import type { EngineObservers, HookEvents, OnDecision, Telemetry } from './reporting/observers.ts';
import { Timestamps } from './reporting/timestamps.ts';
import { RequestAnswering, traceParentFor } from './requests.ts';
import { newIn, secondAnswer } from './second-round.ts';

/** What every handler may be given; its callbacks know the events of its family by name. */
export interface EventHandlerDeps<Name extends string> extends Omit<EngineDeps, 'events' | 'telemetry'> {
  readonly events?: HookEvents<Name> | undefined;
  readonly telemetry?: Telemetry<Name> | undefined;
}

export interface EngineDeps extends EngineObservers {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
}

/** One event whose hooks run. */
interface EventRun<Result> {
  readonly firing: Firing<Result>;
  readonly plan: Plan;
  readonly lifetime: EventLifetime;
  readonly startedAt: number;
  /** Nothing that hooks answer has an effect. */
  isObserved: boolean;
  progress: Progress | undefined;
}

/**
 * What happens to one event, by a request or a direct call, in the order in which it happens. Without a hook that waits the
 * outcome is there when the call returns. Requests on a bus are answered exactly once each. Neither a failing hook nor a
 * failing part of the engine or the host reaches the caller as an exception: it fails the event.
 */
export class EventHandler {
  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  readonly id: string;
  readonly #inFlight = new InFlight();
  readonly #newId: () => string;
  readonly #family: Family;
  readonly #bus: Bus | undefined;
  readonly #requests: RequestAnswering | undefined;
  readonly #audience: Audience;
  readonly #feedback: Feedback | undefined;
  readonly #isLogged: boolean;
  #disposing: Promise<void> | undefined;
  #isOver = false;

  constructor(family: Family, bus: Bus | undefined, deps: EngineDeps) {
    const { events, onTrace, telemetry, clock = systemClock, idGenerator: newId = createId } = deps;
    const logger = partLogger(deps.logger, 'handler');
    const budgetMs = (eventName: string) => family.budgetMs?.(eventName);
    this.#newId = newId;
    this.id = newId();
    this.#family = family;
    this.#bus = bus;
    this.#audience = { bus, events, onTrace, telemetry, logger, newId, budgetMs, timestamps: new Timestamps(clock) };
    this.#feedback = events?.onFeedback === undefined ? undefined : new Feedback(events.onFeedback, logger);
    this.#isLogged = logger !== undefined || this.#feedback !== undefined;
    if (bus === undefined) return;
    this.#requests = new RequestAnswering(bus, family, this.#inFlight, (firing) => this.#handle(firing));
  }

  /** A fresh id for a message of this engine. */
  createId(): string {
    return this.#newId();
  }

  /** Has each decision handed to `onDecision` when it is made. */
  watchDecisions(onDecision: OnDecision): void {
    this.#audience.onDecision = onDecision;
  }

  /** Whether an event that no hook runs for would pass without a trace, its caller included. Hooks have to be loaded. */
  isUnheard(eventName: string): boolean {
    return (
      !(this.#bus !== undefined && this.#isWatched(this.#bus)) &&
      !this.#isOver &&
      this.#family.isEvent(eventName) &&
      this.#family.isAwaited?.(eventName) !== true &&
      !(this.#audience.onDecision !== undefined && this.#family.hasHooks?.(eventName) === true) &&
      this.#audience.logger?.debug === undefined &&
      !isTraced(this.#audience)
    );
  }

  /** Whether another than this engine sees what goes over the bus. */
  #isWatched(bus: Bus): boolean {
    const { request, answer } = this.#family.exchange;
    return bus.isWatched(request) || bus.isWatched(answer);
  }

  /**
   * Answers what is in flight as `disposed`, stops its hooks and waits until their processes are gone. Later requests
   * are refused. Safe to call twice, and from within a hook.
   */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    this.#isOver = true;
    this.#requests?.close();
    this.#inFlight.endAll();
    await this.#family.dispose();
  }

  protected perform<Result, T>(firing: Firing<Result>, finish: (outcome: Outcome<Result>) => T): Promise<T> {
    const outcome = this.#call(firing);
    return outcome instanceof Promise ? outcome.then(finish) : Promise.resolve(finish(outcome));
  }

  #call<Result>(firing: Firing<Result>): Later<Outcome<Result>> {
    const bus = this.#bus;
    return bus === undefined || !this.#isWatched(bus) ? this.#handle(firing) : this.#callShown(firing, bus);
  }

  /** A direct call to which someone listens on the bus is shown there as a request that has its handler already. */
  #callShown<Result>(firing: Firing<Result>, bus: Bus): Later<Outcome<Result>> {
    try {
      const { id: handledBy } = this;
      const correlationId = this.#newId();
      firing.correlationId = correlationId;
      bus.publish({ ...firing.request(correlationId), handledBy });
      return after(this.#handle(firing), (outcome) => {
        bus.publish({ ...firing.response(correlationId, outcome), handledBy });
        return { ...outcome, correlationId };
      });
    } catch (error) {
      return this.#failed(firing, error);
    }
  }

  #handle<Result>(firing: Firing<Result>): Later<Outcome<Result>> {
    const outcome = this.#fire(firing);
    return this.#audience.onDecision === undefined ? outcome : this.#watched(firing, outcome);
  }

  #watched<Result>(firing: Firing<Result>, outcome: Later<Outcome<Result>>): Later<Outcome<Result>> {
    return after(outcome, (settled) => this.#decided(firing, settled));
  }

  /** An event without configured hooks, or one that was not handled, is no decision. */
  #decided<Result>(firing: Firing<Result>, outcome: Outcome<Result>): Outcome<Result> {
    const { trace } = firing;
    firing.trace = undefined;
    if (trace !== undefined && trace.rows.length > 0) {
      const { correlationId } = trace;
      tellDecision(this.#audience, () => [
        firing.request(correlationId),
        trace,
        firing.response(correlationId, outcome),
      ]);
    }
    return outcome;
  }

  #fire<Result>(firing: Firing<Result>): Later<Outcome<Result>> {
    try {
      if (this.#isOver) return this.#failed(firing, disposed());
      if (!this.#family.isEvent(firing.eventName))
        return this.#failed(firing, unsupportedEvent(this.#family, firing.eventName));
      const loading = this.#family.ready(firing.eventName);
      return loading === undefined ? this.#plan(firing) : this.#afterLoading(firing, loading);
    } catch (error) {
      return this.#failed(firing, error);
    }
  }

  /** The first event has the hooks loaded, and those that come meanwhile wait for it, as long as their deadlines allow. */
  async #afterLoading<Result>(firing: Firing<Result>, loading: Promise<void>): Promise<Outcome<Result>> {
    const lifetime = this.#inFlight.open(firing);
    lifetime.startClock();
    try {
      const ended = await firstValueFrom(race(from(loading).pipe(map(() => undefined)), lifetime.ended$));
      if (ended !== undefined) return { result: firing.broken(ended), results: [], error: ended };
      return await this.#plan(firing, lifetime);
    } catch (error) {
      return this.#failed(firing, error);
    } finally {
      this.#inFlight.close(firing, lifetime);
    }
  }

  #plan<Result>(firing: Firing<Result>, opened?: EventLifetime): Later<Outcome<Result>> {
    const plan = firing.plan();
    if (plan === undefined) return this.#nothingToRun(firing);
    const lifetime = opened ?? this.#inFlight.open(firing);
    return firing.isRequest ? this.#runLater(firing, plan, lifetime) : this.#run(firing, plan, lifetime);
  }

  /** Hooks of a request start after the publisher's call is over: what a hook publishes itself is then no nested message. */
  async #runLater<Result>(firing: Firing<Result>, plan: Plan, lifetime: EventLifetime): Promise<Outcome<Result>> {
    const depth = nestingDepth();
    await undefined;
    return runAtDepth(depth, () => this.#run(firing, plan, lifetime));
  }

  /** By far the most events have no hooks. */
  #nothingToRun<Result>(firing: Firing<Result>): Outcome<Result> {
    const { logger } = this.#audience;
    if (logger?.debug !== undefined) logger.debug(skippedLine(firing.eventName, firing.subject));
    reportOn(this.#audience, firing, undefined, false)?.concluded([]);
    return { result: firing.nothing(), results: [] };
  }

  #run<Result>(firing: Firing<Result>, plan: Plan, lifetime: EventLifetime): Later<Outcome<Result>> {
    const startedAt = this.#isLogged ? performance.now() : 0;
    const run: EventRun<Result> = { firing, plan, lifetime, startedAt, isObserved: false, progress: undefined };
    let outcome: Later<Outcome<Result>>;
    try {
      outcome = this.#answer(run);
    } catch (error) {
      outcome = this.#notHeard(run, error);
    }
    return outcome instanceof Promise ? this.#overLater(run, outcome) : this.#over(run, outcome);
  }

  /** Checks the event, runs its hooks, asks guards again, merges and reports. */
  #answer<Result>(run: EventRun<Result>): Later<Outcome<Result>> {
    const { firing, plan, lifetime } = run;
    const isObserved = firing.isObserved();
    run.isObserved = isObserved;
    if (lifetime.isLimited) lifetime.limitTo(plan.deadlineMs(plan.mayAskAgain && !isObserved));
    expectRunnable(firing);
    const live = reportOn(this.#audience, firing, plan, isObserved);
    if (lifetime.ended !== undefined) {
      live?.aborted();
      throw lifetime.ended;
    }
    const isFollowed = live !== undefined || firing.hookEnded !== undefined || lifetime.isLimited;
    if (isFollowed) run.progress = new Progress(firing, plan, live);
    const results = this.#runHooks(run, firing, plan, 0, asGiven);
    return results instanceof Promise ? this.#answeredLater(run, results) : this.#answered(run, results);
  }

  /** Runs the hooks of one round; `first` is the index of its first result. */
  #runHooks<Result>(
    run: EventRun<Result>,
    firing: Firing<Result>,
    plan: Plan,
    first: number,
    read: (result: HookExecutionResult) => HookExecutionResult,
  ): Later<readonly HookExecutionResult[]> {
    const { progress, lifetime } = run;
    const onStart = progress?.onStart(first);
    const onEnd = progress?.onEnd(first, read);
    const how = { onStart, onEnd, ending: lifetime.isLimited ? lifetime : undefined };
    const traceParent = traceParentFor(this.#bus, run.firing.correlationId);
    const results = withTraceParent(traceParent, () => firing.run(plan, how));
    return results instanceof Promise && lifetime.isLimited ? orCutOff(run, plan, first, results) : results;
  }

  async #answeredLater<Result>(
    run: EventRun<Result>,
    results: Promise<readonly HookExecutionResult[]>,
  ): Promise<Outcome<Result>> {
    return this.#answered(run, await results);
  }

  #answered<Result>(run: EventRun<Result>, all: readonly HookExecutionResult[]): Later<Outcome<Result>> {
    const { firing, plan, isObserved } = run;
    const results = firing.settled(plan, all);
    const second = plan.mayAskAgain && !isObserved ? firing.secondRound(plan, results) : undefined;
    return second === undefined ? this.#conclude(run, results) : this.#askGuardsAgain(run, results, second);
  }

  /** Guards see what will run: those that approved something else are run once more. Their second answers come last. */
  #askGuardsAgain<Result>(
    run: EventRun<Result>,
    results: readonly HookExecutionResult[],
    { places, firing }: SecondRound<Result>,
  ): Later<Outcome<Result>> {
    const plan = run.plan.narrow((_hook, place) => places.includes(place));
    // If the event was ended meanwhile no guard is run any more, and each obeys its `onFault`.
    const first = run.progress?.again(places) ?? run.plan.hooks.length;
    return after(this.#runHooks(run, firing, plan, first, secondAnswer), (all) => {
      const answers = firing.settled(plan, all).map(secondAnswer);
      return this.#conclude(run, [...results, ...answers.map((one, at) => newIn(one, results[places[at] ?? -1]))]);
    });
  }

  #conclude<Result>(
    { firing, plan, lifetime, isObserved, progress }: EventRun<Result>,
    all: readonly HookExecutionResult[],
  ): Outcome<Result> {
    const results = firing.withinModelText(all);
    progress?.concluded(results);
    const error = lifetime.ended;
    const result = firing.merge(plan, isObserved ? results.map(withoutOutput) : results, error);
    return error === undefined ? { result, results } : { result, results, error };
  }

  #overLater<Result>(run: EventRun<Result>, outcome: Promise<Outcome<Result>>): Promise<Outcome<Result>> {
    return outcome.catch((error) => this.#notHeard(run, error)).then((settled) => this.#over(run, settled));
  }

  #over<Result>(run: EventRun<Result>, outcome: Outcome<Result>): Outcome<Result> {
    this.#inFlight.close(run.firing, run.lifetime);
    if (this.#isLogged) this.#log(run, outcome);
    return outcome;
  }

  /** The engine failed before its hooks could: a guard has not been heard, and its fault counts. */
  #notHeard<Result>({ firing, plan, lifetime }: EventRun<Result>, thrown: unknown): Outcome<Result> {
    const { ended } = lifetime;
    const outcome = this.#failed(firing, thrown);
    const guards = plan.guards();
    if (guards.hooks.length === 0) return outcome;
    const fault =
      ended === undefined
        ? ({ code: 'threw', message: `it was not started: ${describeThrown(thrown)}` } as const)
        : abortFault(AbortSignal.abort(ended));
    const results = guards.hooks.map((hook) => applyOnFault(faultResult(hook, firing.eventName, fault)));
    try {
      const counting = firing.isObserved() ? results.map(withoutOutput) : results;
      return { ...outcome, result: firing.merge(guards, counting, outcome.error), results };
    } catch {
      // An aggregator of the host's that fails twice: the caller is given what it failed at first.
      return outcome;
    }
  }

  /** An event that could not be handled: the log and the caller are told. The agent goes on. */
  #failed<Result>(firing: Firing<Result>, thrown: unknown): Outcome<Result> {
    this.#audience.logger?.warn?.(
      `${String(firing.eventName)} could not be fired as it should: ${describeThrown(thrown)}`,
    );
    const error = asError('internal_error', thrown);
    return { result: firing.broken(error), results: [], error };
  }

  /** A line of the log for each event that ran hooks, and a word to a person if hooks failed. */
  #log<Result>({ firing, plan, startedAt }: EventRun<Result>, { result, results }: Outcome<Result>): void {
    if (results.length === 0) return;
    const tookMs = performance.now() - startedAt;
    const { logger, budgetMs: budgetOf } = this.#audience;
    const { eventName, payload, subject } = firing;
    logger?.debug?.(firedLine(eventName, subject, results, tookMs, firing.changed(result)));
    this.#feedback?.about(eventName, payload, results);
    const budgetMs = budgetOf(eventName);
    if (budgetMs === undefined) return;
    const over = overBudgetLine(results, { eventName, budgetMs, tookMs, sequential: plan.sequential });
    if (over !== undefined) logger?.warn?.(over);
  }
}

/** An error of ours as it is, anything else as one of ours. */
const asError = (code: ErrorCode, thrown: unknown): HookwrightError =>
  HookwrightError.is(thrown) ? thrown : new HookwrightError(code, describeThrown(thrown), { cause: thrown });

/** The last look before hooks start: a request was checked when it came. */
const expectRunnable = (firing: Firing<unknown>): void => {
  const { eventName } = firing;
  const problem = firing.isRequest ? undefined : firing.problem();
  if (problem !== undefined) throw new HookwrightError('validation_failure', `${eventName}: ${problem}`);
  if (nestingDepth() < MAX_NESTING) return;
  const message = `${eventName}: hooks fired events ${MAX_NESTING} levels deep; a hook probably fires its own event`;
  throw new HookwrightError('internal_error', message);
};

const asGiven = (result: HookExecutionResult): HookExecutionResult => result;

/** That a hook failed stays: it is reported. */
const withoutOutput = ({ output: _output, ...result }: HookExecutionResult): HookExecutionResult => result;

/**
 * The results of a round, or what had finished when the event was ended early. Hooks normally notice and end by themselves;
 * this is for those (and for runners) that do not.
 */
const orCutOff = (
  { firing: { eventName }, lifetime, progress }: EventRun<unknown>,
  plan: Plan,
  first: number,
  results: Promise<readonly HookExecutionResult[]>,
): Promise<readonly HookExecutionResult[]> => {
  lifetime.startClock();
  const cutOff$ = lifetime.ended$.pipe(
    mergeMap((reason) => later(reason, ABORT_PATIENCE_MS)),
    map((reason) => {
      const fault = abortFault(AbortSignal.abort(reason));
      return plan.hooks.map((hook, index) =>
        plan.isBackground(index)
          ? inBackground(hook, eventName)
          : (progress?.resultOf(first + index) ?? applyOnFault(faultResult(hook, eventName, fault))),
      );
    }),
  );
  return firstValueFrom(race(from(results), cutOff$));
};

/** Like `delay` of RxJS, which would bring its schedulers into every import of the package. */
const later = <T>(value: T, ms: number): Observable<T> =>
  new Observable((subscriber) => {
    const timer = setTimeout(() => {
      subscriber.next(value);
      subscriber.complete();
    }, ms);
    return () => clearTimeout(timer);
  });
