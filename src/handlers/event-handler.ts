// The engine: takes one event from admission to response.
import type { Bus } from '../bus/index.ts';
import { createId } from '../bus/internal.ts';
import { HookwrightError } from '../errors.ts';
import { attempt, describeThrown, type MaybePromise, runInMicrotask, waitWithinMs } from '../kit/index.ts';
import {
  ABORT_GRACE_MS,
  type AnswerMessage,
  type Clock,
  callSafely,
  createPartLogger,
  createTimestamps,
  type HookConfig,
  type HookExecutionResult,
  type Logger,
  type RequestMessage,
  systemClock,
} from '../protocol/index.ts';
import {
  applyOnFault,
  createAbortFault,
  createFaultResult,
  getNestingDepth,
  MAX_NESTING,
  type OnHookEnd,
  runAtDepth,
} from '../runners/index.ts';
import { createPendingResult } from './background-hooks.ts';
import {
  createUnsupportedEventError,
  type EventKind,
  type Firing,
  type FiringOutcome,
  type GuardRecheck,
  type Plan,
  thenMaybe,
} from './firing.ts';
import { createDisposedError, type EventLifetime, EventsInFlight } from './lifetime.ts';
import { toRecheckResult, withoutRepeatedTexts } from './recheck-guards.ts';
import { EventLog } from './reporting/event-log.ts';
import { EventReport } from './reporting/event-report.ts';
import {
  createListenerCheck,
  type EngineObservers,
  type HookEvents,
  type OnDecision,
  type ReportDeps,
  reportDecision,
  type Telemetry,
} from './reporting/observers.ts';
import { findTraceParent, RequestResponder } from './requests.ts';

export interface EventHandlerDeps<Name extends string> extends Omit<EngineDeps, 'events' | 'telemetry'> {
  readonly events?: HookEvents<Name> | undefined;
  readonly telemetry?: Telemetry<Name> | undefined;
}

interface EngineDeps extends EngineObservers {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
}

interface EventInProgress<Result> {
  readonly firing: Firing<Result>;
  readonly plan: Plan;
  readonly lifetime: EventLifetime;
  startedAt: number;
  /** True if answers have no effect, as in the mode `observe`. */
  isObserved: boolean;
  /** Results so far, by index. `undefined` if no listener needs them and the event cannot be cut short. */
  ended: (HookExecutionResult | undefined)[] | undefined;
  report: EventReport | undefined;
}

/**
 * An event passes the methods from top to bottom. No error of a hook, a host callback or the engine reaches the caller
 * as an exception.
 */
export class EventHandler {
  /** Value of `handledBy` in messages. Other handlers on the bus ignore a request with `handledBy`. */
  readonly id: string;
  readonly #inFlight = new EventsInFlight();
  readonly #createId: () => string;
  readonly #kind: EventKind;
  readonly #bus: Bus | undefined;
  readonly #requests: RequestResponder | undefined;
  readonly #deps: ReportDeps;
  readonly #log: EventLog | undefined;
  #disposing: Promise<void> | undefined;
  #isOver = false;

  constructor(kind: EventKind, bus: Bus | undefined, deps: EngineDeps) {
    const { events, onTrace, telemetry, clock = systemClock, idGenerator = createId } = deps;
    const logger = createPartLogger(deps.logger, 'handler');
    const budgetMs = (eventName: string) => callSafely(logger, 'getBudgetMs', () => kind.budgetMs?.(eventName));
    this.#createId = () => callSafely(logger, 'idGenerator', idGenerator) ?? createId();
    this.id = this.#createId();
    this.#kind = kind;
    this.#bus = bus;
    const listeners = createListenerCheck(bus, kind.exchange, deps, logger);
    const timestamp = createTimestamps(clock, logger);
    this.#deps = { bus, listeners, events, onTrace, telemetry, logger, newId: this.#createId, budgetMs, timestamp };
    const isLogged = logger !== undefined || events?.onFeedback !== undefined;
    this.#log = isLogged ? new EventLog(this.#deps) : undefined;
    if (bus === undefined) return;
    this.#requests = new RequestResponder(bus, kind, this.#inFlight, (firing, answer) =>
      this.#handleRequest(firing, answer),
    );
  }

  createId(): string {
    return this.#createId();
  }

  watchDecisions(onDecision: OnDecision): void {
    this.#deps.onDecision = onDecision;
  }

  /**
   * True if an event without hooks can be skipped, because no listener, log or trace needs it. Call this after the hooks
   * were loaded.
   */
  isNoop(eventName: string): boolean {
    return (
      !this.#deps.listeners().calls &&
      !this.#isOver &&
      this.#kind.isEvent(eventName) &&
      this.#kind.needsEvent?.(eventName) !== true &&
      !(this.#deps.onDecision !== undefined && this.#kind.hasHooks?.(eventName) === true) &&
      this.#deps.logger?.debug === undefined &&
      !this.#deps.listeners().traces
    );
  }

  /**
   * Answers the requests in flight with `disposed`, stops their hooks and waits until the processes are gone. Later
   * requests are refused.
   */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    this.#isOver = true;
    this.#requests?.close();
    this.#inFlight.endAll();
    await this.#kind.dispose();
  }

  protected perform<Result, T>(firing: Firing<Result>, finish: (outcome: FiringOutcome<Result>) => T): Promise<T> {
    const outcome = this.#deps.listeners().calls ? this.#handleOnBus(firing) : this.#handle(firing);
    return outcome instanceof Promise ? outcome.then(finish) : Promise.resolve(finish(outcome));
  }

  /** Listeners on the bus see a direct call as a request that already has a handler. */
  #handleOnBus<Result>(firing: Firing<Result>): MaybePromise<FiringOutcome<Result>> {
    const { id: handledBy } = this;
    const correlationId = this.#createId();
    firing.correlationId = correlationId;
    const show = (message: () => RequestMessage | AnswerMessage): void =>
      callSafely(this.#deps.logger, 'publish', () => this.#bus?.publish({ ...message(), handledBy }));
    show(() => firing.request(correlationId));
    return thenMaybe(this.#handle(firing), (outcome) => {
      show(() => firing.response(correlationId, outcome));
      return { ...outcome, correlationId };
    });
  }

  #handle<Result>(firing: Firing<Result>): MaybePromise<FiringOutcome<Result>> {
    const admitted = this.#admit(firing);
    return this.#reportDecision(firing, isEventInProgress(admitted) ? this.#run(admitted) : admitted);
  }

  /**
   * The hooks start in a microtask after `publish` has returned, so that events which they fire are not nested in that
   * call.
   */
  #handleRequest<Result>(firing: Firing<Result>, answer: (outcome: MaybePromise<FiringOutcome<Result>>) => void): void {
    const admitted = this.#admit(firing);
    const depth = getNestingDepth();
    if (!isEventInProgress(admitted)) answer(this.#reportDecision(firing, admitted));
    else
      runInMicrotask(() => {
        const outcome = runAtDepth(depth, () => this.#run(admitted));
        answer(this.#reportDecision(firing, outcome));
      });
  }

  #admit<Result>(firing: Firing<Result>): EventInProgress<Result> | MaybePromise<FiringOutcome<Result>> {
    try {
      if (this.#isOver) return this.#endWithoutRun(firing, createDisposedError());
      if (!this.#kind.isEvent(firing.eventName)) throw createUnsupportedEventError(this.#kind, firing.eventName);
      const loading = this.#kind.ready?.(firing.eventName);
      return loading === undefined ? this.#plan(firing) : this.#afterLoading(firing, loading);
    } catch (error) {
      return this.#fail(firing, error);
    }
  }

  async #afterLoading<Result>(firing: Firing<Result>, loading: Promise<void>): Promise<FiringOutcome<Result>> {
    const lifetime = this.#inFlight.open(firing);
    lifetime.startClock();
    try {
      const ended = await lifetime.endedBefore(loading);
      if (ended !== undefined) return this.#endWithoutRun(firing, ended);
      const planned = this.#plan(firing, lifetime);
      return await (isEventInProgress(planned) ? this.#run(planned) : planned);
    } catch (error) {
      return this.#fail(firing, error);
    } finally {
      this.#inFlight.close(firing, lifetime);
    }
  }

  #endWithoutRun<Result>(firing: Firing<Result>, ended: HookwrightError): FiringOutcome<Result> {
    if (this.#kind.refusesUnhandled === true) return this.#fail(firing, ended);
    // Planning fails if the hooks could not be loaded.
    const plan = attempt(() => (this.#kind.isEvent(firing.eventName) ? firing.plan() : undefined));
    return plan === undefined ? this.#fail(firing, ended) : this.#applyGuardFaults(firing, plan, ended, ended);
  }

  #plan<Result>(firing: Firing<Result>, opened?: EventLifetime): EventInProgress<Result> | FiringOutcome<Result> {
    const plan = firing.plan();
    if (plan === undefined) return this.#endWithoutHooks(firing);
    const lifetime = opened ?? this.#inFlight.open(firing);
    return { firing, plan, lifetime, startedAt: 0, isObserved: false, ended: undefined, report: undefined };
  }

  #endWithoutHooks<Result>(firing: Firing<Result>): FiringOutcome<Result> {
    this.#log?.logSkipped(firing);
    const { onDecision, listeners } = this.#deps;
    if (onDecision !== undefined || listeners().traces) {
      new EventReport(this.#deps, firing, undefined, false).reportOutcome([]);
    }
    return { result: firing.resultWithoutHooks(), results: [] };
  }

  #run<Result>(run: EventInProgress<Result>): MaybePromise<FiringOutcome<Result>> {
    if (this.#log !== undefined) run.startedAt = performance.now();
    const failed = (error: unknown): FiringOutcome<Result> =>
      this.#applyGuardFaults(run.firing, run.plan, error, run.lifetime.ended);
    try {
      const outcome = this.#runAndMerge(run);
      if (!(outcome instanceof Promise)) return this.#finish(run, outcome);
      return outcome.catch(failed).then((settled) => this.#finish(run, settled));
    } catch (error) {
      return this.#finish(run, failed(error));
    }
  }

  #runAndMerge<Result>(run: EventInProgress<Result>): MaybePromise<FiringOutcome<Result>> {
    const { firing, plan, lifetime } = run;
    const isObserved = firing.isObserved?.() === true;
    run.isObserved = isObserved;
    if (lifetime.isLimited) lifetime.limitTo(plan.deadlineMs(mayRecheckCall(run)));
    expectValidEvent(firing);
    const { onDecision, listeners } = this.#deps;
    const hasListener = onDecision !== undefined || listeners().hooks;
    if (hasListener || firing.onHookEnded !== undefined || lifetime.isLimited) {
      run.ended = new Array(plan.hooks.length);
    }
    if (hasListener) run.report = new EventReport(this.#deps, firing, plan, isObserved);
    if (lifetime.ended !== undefined) {
      run.report?.reportAbort();
      throw lifetime.ended;
    }
    return thenMaybe(this.#runHooks(run, firing, plan, 0), (results) => this.#mergeResults(run, results));
  }

  #runHooks<Result>(
    run: EventInProgress<Result>,
    firing: Firing<Result>,
    plan: Plan,
    first: number,
  ): MaybePromise<readonly HookExecutionResult[]> {
    const { report, lifetime } = run;
    const results = firing.run(plan, {
      onStart: report?.onStart(first),
      onEnd: run.ended && createOnEnd(run, first),
      ending: lifetime.isLimited ? lifetime : undefined,
      traceParent: findTraceParent(this.#bus, run.firing.correlationId),
    });
    return results instanceof Promise && lifetime.isLimited ? waitOrCutOff(run, plan, first, results) : results;
  }

  #mergeResults<Result>(
    run: EventInProgress<Result>,
    all: readonly HookExecutionResult[],
  ): MaybePromise<FiringOutcome<Result>> {
    const { firing, plan } = run;
    const results = firing.prepareResults?.(plan, all) ?? all;
    const second = mayRecheckCall(run) ? firing.recheck?.(plan, results) : undefined;
    return second === undefined ? this.#conclude(run, results) : this.#recheckGuards(run, results, second);
  }

  /**
   * A guard that approved a call which another hook then changed runs once more. Its second result follows all first
   * results.
   */
  #recheckGuards<Result>(
    run: EventInProgress<Result>,
    results: readonly HookExecutionResult[],
    { hookIndexes, firing }: GuardRecheck<Result>,
  ): MaybePromise<FiringOutcome<Result>> {
    const plan = run.plan.narrow((_hook, index) => hookIndexes.includes(index));
    run.report?.noteRecheck(hookIndexes);
    return thenMaybe(this.#runHooks(run, firing, plan, run.plan.hooks.length), (all) => {
      const answers = (firing.prepareResults?.(plan, all) ?? all).map(toRecheckResult);
      const again = answers.map((answer, at) => withoutRepeatedTexts(answer, results[hookIndexes[at] ?? -1]));
      return this.#conclude(run, [...results, ...again]);
    });
  }

  #conclude<Result>(run: EventInProgress<Result>, all: readonly HookExecutionResult[]): FiringOutcome<Result> {
    const { firing, plan, lifetime, isObserved } = run;
    const results = firing.withinModelText?.(all) ?? all;
    // The end of a hook is reported here if a host's runner did not report it or the hook ignored its abort.
    if (run.ended !== undefined) {
      for (const [at, result] of results.entries()) if (result.background !== true) reportEnd(run, at, result);
    }
    run.report?.reportOutcome(results);
    const error = lifetime.ended;
    const result = firing.merge(plan, isObserved ? results.map(withoutOutput) : results, error);
    return error === undefined ? { result, results } : { result, results, error };
  }

  #finish<Result>(
    { firing, plan, lifetime, startedAt }: EventInProgress<Result>,
    outcome: FiringOutcome<Result>,
  ): FiringOutcome<Result> {
    this.#inFlight.close(firing, lifetime);
    this.#log?.logRun(firing, plan, outcome, performance.now() - startedAt);
    return outcome;
  }

  /** A guard that never ran has no answer, so its `onFault` decides. */
  #applyGuardFaults<Result>(
    firing: Firing<Result>,
    plan: Plan,
    thrown: unknown,
    ended: HookwrightError | undefined,
  ): FiringOutcome<Result> {
    const outcome = this.#fail(firing, thrown);
    const guards = plan.narrow(plan.facts.isGuard);
    if (guards.hooks.length === 0) return outcome;
    const fault =
      ended === undefined
        ? ({ code: 'threw', message: `it was not started: ${describeThrown(thrown)}` } as const)
        : createAbortFault(AbortSignal.abort(ended));
    const results = guards.hooks.map((hook) => applyOnFault(createFaultResult(hook, firing.eventName, fault)));
    try {
      const counting = firing.isObserved?.() === true ? results.map(withoutOutput) : results;
      return { ...outcome, result: firing.merge(guards, counting, outcome.error), results };
    } catch {
      // The aggregator threw a second time, so the caller gets the first error.
      return outcome;
    }
  }

  #fail<Result>(firing: Firing<Result>, thrown: unknown): FiringOutcome<Result> {
    const message = describeThrown(thrown);
    this.#deps.logger?.warn?.(`${String(firing.eventName)} could not be fired as it should: ${message}`);
    const error = HookwrightError.is(thrown)
      ? thrown
      : new HookwrightError('internal_error', message, { cause: thrown });
    return { result: firing.failedResult(error), results: [], error };
  }

  /** Events without configured hooks are not reported as decisions. */
  #reportDecision<Result>(
    firing: Firing<Result>,
    outcome: MaybePromise<FiringOutcome<Result>>,
  ): MaybePromise<FiringOutcome<Result>> {
    if (this.#deps.onDecision === undefined) return outcome;
    return thenMaybe(outcome, (settled) => {
      const { trace } = firing;
      firing.trace = undefined;
      if (trace !== undefined && trace.rows.length > 0) {
        const { correlationId } = trace;
        reportDecision(this.#deps, () => [
          firing.request(correlationId),
          trace,
          firing.response(correlationId, settled),
        ]);
      }
      return settled;
    });
  }
}

const isEventInProgress = <Result>(
  admitted: EventInProgress<Result> | MaybePromise<FiringOutcome<Result>>,
): admitted is EventInProgress<Result> => 'lifetime' in admitted;

const expectValidEvent = (firing: Firing<unknown>): void => {
  const { eventName } = firing;
  const problem = firing.isRequest ? undefined : firing.payloadProblem();
  if (problem !== undefined) throw new HookwrightError('validation_failure', `${eventName}: ${problem}`);
  if (getNestingDepth() < MAX_NESTING) return;
  const message = `${eventName}: hooks fired events ${MAX_NESTING} levels deep; a hook probably fires its own event`;
  throw new HookwrightError('internal_error', message);
};

const mayRecheckCall = ({ plan, isObserved }: EventInProgress<unknown>): boolean =>
  plan.facts.mayRecheck === true && !isObserved;

/** Reports each hook once. If the event was cut short, the hook's result is a fault, and a later result is ignored. */
const reportEnd = (
  { firing, ended, report }: EventInProgress<unknown>,
  index: number,
  result: HookExecutionResult,
): void => {
  if (ended === undefined || ended[index] !== undefined) return;
  ended[index] = result;
  report?.reportHookEnd(index, result);
  firing.onHookEnded?.(result);
};

/** A function of its own, because a closure in the caller would be allocated for events without listeners too. */
const createOnEnd =
  (run: EventInProgress<unknown>, first: number): OnHookEnd =>
  (_hook, result, at) =>
    reportEnd(run, first + at, first === 0 ? result : toRecheckResult(result));

const withoutOutput = ({ output: _output, ...result }: HookExecutionResult): HookExecutionResult => result;

/** Waits `ABORT_GRACE_MS` for hooks that ignore their abort. After that the event ends without them. */
const waitOrCutOff = async (
  { firing: { eventName }, lifetime, ended }: EventInProgress<unknown>,
  plan: Plan,
  first: number,
  results: Promise<readonly HookExecutionResult[]>,
): Promise<readonly HookExecutionResult[]> => {
  lifetime.startClock();
  const reason = await lifetime.endedBefore(results);
  if (reason === undefined) return results;
  const inTime = await waitWithinMs(ABORT_GRACE_MS, results);
  const fault = createAbortFault(AbortSignal.abort(reason));
  const resultAt = (hook: HookConfig, index: number): HookExecutionResult =>
    plan.isBackground(index)
      ? createPendingResult(hook, eventName)
      : (ended?.[first + index] ?? applyOnFault(createFaultResult(hook, eventName, fault)));
  return inTime ?? plan.hooks.map(resultAt);
};
