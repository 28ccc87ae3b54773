import { catchError, EMPTY, from, map, mergeMap, type Observable, of } from 'rxjs';
import { emptyResult, type HookAggregator } from '../aggregator/aggregator.ts';
import type { Bus } from '../bus/bus.ts';
import { createId } from '../bus/create-id.ts';
import { type ErrorCode, HookwrightError } from '../errors.ts';
import {
  type AggregatedResult,
  catalogue,
  type HookEventName,
  type HookInput,
  hookEventNames,
  isHookEventName,
  type PayloadOf,
} from '../events/catalogue.ts';
import type { HookExecutionPlan, HookPlanner, PlanContext } from '../planner/planner.ts';
import { type Clock, type HostConfig, type Logger, systemClock, workingDirOf } from '../protocol/host.ts';
import { type BaseHookInput, hasBaseField } from '../protocol/input.ts';
import { describeThrown, describeValue } from '../protocol/json.ts';
import {
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  isCorrelationId,
  MessageBusType,
  messageSchemas,
} from '../protocol/messages.ts';
import { suggestion } from '../protocol/nearest.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { abortFault, faultResult } from '../runners/faults.ts';
import type { HookRunner } from '../runners/hook-runner.ts';
import { defaultLimits } from '../runners/limits.ts';
import { MAX_NESTING, nestingDepth } from '../runners/nesting.ts';
import { applyOnFault } from '../runners/on-fault.ts';
import { defaultHookTranslator } from '../translator/genai-v1.ts';
import type { HookTranslator } from '../translator/translator.ts';
import { planDeadlineMs } from './deadline.ts';
import { Feedback } from './feedback.ts';
import { addFireMethods, type FireMethods } from './fire-methods.ts';
import type { HookEvents, OnTrace, Telemetry } from './observers.ts';
import { type Audience, type Report, reportTo } from './report.ts';
import { firedLine, skippedLine } from './telemetry.ts';
import { Ticket } from './ticket.ts';
import { Timestamps } from './timestamps.ts';

/** Requests that may be in flight at once; one more is refused at once rather than piled up. */
const MAX_IN_FLIGHT = 20_000;

/** How long hooks may take to notice that they were stopped before the answer goes out without them. */
const ABORT_PATIENCE_MS = 25;

export interface HookEventHandlerDeps {
  readonly logger?: Logger | undefined;
  readonly events?: HookEvents | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly translator?: HookTranslator | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
  /** Called before an event is planned; a promise is waited for. The hook system loads its hooks here. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
}

export interface FireOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The parts of a planner the handler cannot do without; the rows are used where there are any. */
export type EventPlanner = Pick<HookPlanner, 'createExecutionPlan'> & Partial<Pick<HookPlanner, 'explain'>>;
export type EventRunner = Pick<HookRunner, 'executeHooksParallel' | 'executeHooksSequential'> &
  Partial<Pick<HookRunner, 'limits' | 'dispose'>>;
export type EventAggregator = Pick<HookAggregator, 'aggregateResults'>;

/** A merged result, and how each hook ended in configured order. */
export interface DetailedResult<E extends HookEventName> {
  readonly result: AggregatedResult<E>;
  readonly results: readonly HookExecutionResult[];
  /** What kept the event from being handled to its end. */
  readonly error?: HookwrightError;
}

interface Firing<E extends HookEventName> {
  readonly eventName: E;
  readonly payload: PayloadOf<E>;
  readonly context: PlanContext | undefined;
  readonly correlationId: string | undefined;
  readonly ticket: Ticket;
}

/**
 * Handlers on each bus. What listens to requests beyond them is an observer. A handler that was disposed of goes on
 * refusing requests, but only where no living one answers them.
 */
const handlersOn = new WeakMap<Bus, { subscribed: number; living: number }>();

const asError = (code: ErrorCode, thrown: unknown): HookwrightError =>
  HookwrightError.is(thrown) ? thrown : new HookwrightError(code, describeThrown(thrown), { cause: thrown });

/**
 * The only way to fire a hook: it plans, has the hooks run, aggregates, and answers. On a bus it answers every request
 * exactly once; called directly it never rejects. Neither way does a failing hook, or a failing part of the engine,
 * reach the caller as an exception.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the fire methods are made from the catalogue, type and all
export class HookEventHandler {
  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  readonly id: string;
  readonly #config: HostConfig;
  readonly #planner: EventPlanner;
  readonly #runner: EventRunner;
  readonly #aggregator: EventAggregator;
  readonly #bus: Bus | undefined;
  readonly #deps: HookEventHandlerDeps;
  readonly #clock: Clock;
  readonly #timestamps: Timestamps;
  readonly #translator: HookTranslator;
  readonly #newId: () => string;
  /** Requests of the bus that have no answer yet. */
  readonly #inFlight = new Map<string, Ticket>();
  /** Everything that runs, direct calls included. */
  readonly #running = new Set<Ticket>();
  readonly #audience: Audience;
  readonly #feedback: Feedback | undefined;
  #disposing: Promise<void> | undefined;

  constructor(
    config: HostConfig,
    planner: EventPlanner,
    runner: EventRunner,
    aggregator: EventAggregator,
    bus?: Bus,
    deps: HookEventHandlerDeps = {},
  ) {
    this.#config = config;
    this.#planner = planner;
    this.#runner = runner;
    this.#aggregator = aggregator;
    this.#bus = bus;
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#timestamps = new Timestamps(this.#clock);
    this.#translator = deps.translator ?? defaultHookTranslator;
    this.#newId = deps.idGenerator ?? createId;
    this.id = this.#newId();
    const { events, onTrace, telemetry, logger } = deps;
    this.#audience = { bus, events, onTrace, telemetry, logger };
    if (events?.onFeedback !== undefined) this.#feedback = new Feedback(events.onFeedback, logger);
    if (bus !== undefined) this.#subscribe(bus);
  }

  // ── direct calls ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Fires an event and resolves with the merged result. Never rejects. */
  fire<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<AggregatedResult<E>> {
    const begun = this.#begin(eventName, payload, options);
    return begun instanceof Promise ? begun.then(toResult) : Promise.resolve(toResult(begun));
  }

  /** The same, with how each single hook ended. */
  fireDetailed<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<DetailedResult<E>> {
    const begun = this.#begin(eventName, payload, options);
    return begun instanceof Promise ? begun : Promise.resolve(begun);
  }

  /** Answers at once where nothing is to be run; that is by far the most frequent case. */
  #begin<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options: FireOptions | undefined,
  ): DetailedResult<E> | Promise<DetailedResult<E>> {
    try {
      if (this.#disposing !== undefined) return this.#failed(eventName, disposed());
      if (!isHookEventName(eventName)) return this.#failed(eventName, unsupported(eventName));
      if (this.#isWatched()) return this.#fireVisibly(eventName, payload, options);
      if (this.#deps.ready?.() !== undefined) return this.#perform(eventName, payload, undefined, new Ticket(options));
      const context = contextOf(eventName, payload);
      const plan = this.#planner.createExecutionPlan(eventName, context);
      if (isEmpty(plan)) return this.#skip(eventName, context, undefined);
      return this.#execute(
        { eventName, payload, context, correlationId: undefined, ticket: new Ticket(options) },
        plan,
      );
    } catch (error) {
      return this.#failed(eventName, error);
    }
  }

  /** Somebody listens on the bus: a direct call is told there as a request that already has its handler. */
  async #fireVisibly<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options: FireOptions | undefined,
  ): Promise<DetailedResult<E>> {
    const correlationId = this.#newId();
    const handledBy = this.id;
    const { HOOK_EXECUTION_REQUEST } = MessageBusType;
    const timeout = options?.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
    this.#bus?.publish({ type: HOOK_EXECUTION_REQUEST, correlationId, eventName, payload, handledBy, ...timeout });
    const detailed = await this.#perform(eventName, payload, correlationId, new Ticket(options));
    this.#bus?.publish({ ...responseOf(correlationId, eventName, detailed), handledBy });
    return detailed;
  }

  #isWatched(): boolean {
    const bus = this.#bus;
    if (bus === undefined) return false;
    const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE } = MessageBusType;
    return (
      bus.listenerCount(HOOK_EXECUTION_REQUEST) > (handlersOn.get(bus)?.subscribed ?? 0) ||
      bus.listenerCount(HOOK_EXECUTION_RESPONSE) > 0 ||
      bus.listenerCount('*') > 0
    );
  }

  // ── requests on the bus ─────────────────────────────────────────────────────────────────────────────────────────

  #subscribe(bus: Bus): void {
    const handlers = handlersOn.get(bus) ?? { subscribed: 0, living: 0 };
    handlersOn.set(bus, { subscribed: handlers.subscribed + 1, living: handlers.living + 1 });
    bus
      .stream(MessageBusType.HOOK_EXECUTION_REQUEST)
      .pipe(mergeMap((request) => this.#answer(bus, request)))
      .subscribe((response) => bus.publish(response));
    bus.subscribe(MessageBusType.HOOK_EXECUTION_CANCEL, ({ correlationId }) =>
      this.#inFlight.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled')),
    );
  }

  /** One request, one response. What can be answered without running anything is published right here. */
  #answer(bus: Bus, request: HookExecutionRequest): Observable<HookExecutionResponse> {
    if (typeof request.handledBy === 'string') return EMPTY;
    const { correlationId } = request;
    const eventName = typeof request.eventName === 'string' ? request.eventName : describeValue(request.eventName);
    const refuse = (code: ErrorCode, message: string): Observable<never> => {
      bus.publish(responseOf(correlationId, eventName, broken(new HookwrightError(code, message))));
      return EMPTY;
    };
    if (!isCorrelationId(correlationId)) return EMPTY;
    const issue = requestIssue(request);
    if (issue !== undefined) return refuse('invalid_request', issue);
    if (this.#inFlight.has(correlationId)) {
      return refuse('duplicate_request', `A request with the id "${correlationId}" is still being answered`);
    }
    if (this.#disposing !== undefined) {
      return (handlersOn.get(bus)?.living ?? 0) > 0 ? EMPTY : refuse('disposed', disposed().message);
    }
    if (!isHookEventName(eventName)) return refuse('unsupported_event', unsupported(eventName).message);
    if (this.#inFlight.size >= MAX_IN_FLIGHT) {
      return refuse(
        'overloaded',
        `More than ${MAX_IN_FLIGHT} requests are in flight; try again when some are answered`,
      );
    }
    return this.#answerKnown(bus, request, eventName, refuse);
  }

  #answerKnown<E extends HookEventName>(
    bus: Bus,
    request: HookExecutionRequest,
    eventName: E,
    refuse: (code: ErrorCode, message: string) => Observable<never>,
  ): Observable<HookExecutionResponse> {
    const { correlationId } = request;
    try {
      const read = catalogue[eventName].read(request.payload ?? request.input ?? {});
      if (!read.ok) return refuse('validation_failure', `${eventName}: ${read.message}`);
      const { payload } = read;
      if (this.#deps.ready?.() === undefined) {
        const context = contextOf(eventName, payload);
        const plan = this.#planner.createExecutionPlan(eventName, context);
        if (isEmpty(plan)) {
          bus.publish(responseOf(correlationId, eventName, this.#skip(eventName, context, correlationId)));
          return EMPTY;
        }
      }
      const ticket = new Ticket({ timeoutMs: request.timeoutMs }, true);
      this.#inFlight.set(correlationId, ticket);
      return from(this.#performLater(eventName, payload, correlationId, ticket)).pipe(
        map((outcome) => responseOf(correlationId, eventName, outcome)),
        catchError((error: unknown) =>
          of(responseOf(correlationId, eventName, broken(asError('internal_error', error)))),
        ),
      );
    } catch (error) {
      this.#warn(eventName, error);
      return refuse('internal_error', describeThrown(error));
    }
  }

  /** Hooks start after the publisher's call is over: what a hook publishes itself is then no nested message. */
  async #performLater<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    correlationId: string,
    ticket: Ticket,
  ): Promise<DetailedResult<E>> {
    await undefined;
    try {
      return await this.#perform(eventName, payload, correlationId, ticket);
    } finally {
      this.#inFlight.delete(correlationId);
    }
  }

  // ── both ways ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Waits for the engine to be ready, plans, and runs what is planned. */
  async #perform<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    correlationId: string | undefined,
    ticket: Ticket,
  ): Promise<DetailedResult<E>> {
    this.#running.add(ticket);
    try {
      const waiting = this.#deps.ready?.();
      if (waiting !== undefined) {
        const ended = new Promise<HookwrightError>((resolve) => ticket.whenEnded(resolve));
        const early = await Promise.race([waiting, ended]);
        if (early !== undefined) return broken(early);
      }
      const context = contextOf(eventName, payload);
      const plan = this.#planner.createExecutionPlan(eventName, context);
      if (isEmpty(plan)) return this.#skip(eventName, context, correlationId);
      return await this.#execute({ eventName, payload, context, correlationId, ticket }, plan);
    } catch (error) {
      this.#warn(eventName, error);
      return broken(asError('internal_error', error));
    } finally {
      this.#running.delete(ticket);
      ticket.close();
    }
  }

  /** Runs a plan to its end, or to the end of its ticket, whichever comes first. */
  #execute<E extends HookEventName>(firing: Firing<E>, plan: HookExecutionPlan): Promise<DetailedResult<E>> {
    const { eventName, payload, ticket } = firing;
    const read = firing.correlationId === undefined ? catalogue[eventName].read(payload) : undefined;
    if (read?.ok === false) {
      return this.#refused(firing, new HookwrightError('validation_failure', `${eventName}: ${read.message}`));
    }
    if (nestingDepth() >= MAX_NESTING) {
      const message = `${eventName}: hooks fired events ${MAX_NESTING} levels deep; a hook probably fires its own event`;
      return this.#refused(firing, new HookwrightError('internal_error', message));
    }
    const report = this.#reportOn(firing, plan.hookConfigs, plan.sequential ? 'sequential' : 'parallel');
    if (ticket.ended !== undefined) {
      report.aborted();
      return this.#refused(firing, ticket.ended);
    }
    this.#running.add(ticket);
    const startedAt = this.#deps.logger?.debug === undefined ? 0 : performance.now();
    const conclude = (results: readonly HookExecutionResult[]): DetailedResult<E> => {
      this.#running.delete(ticket);
      ticket.close();
      return this.#conclude(firing, results, report, startedAt);
    };
    const fail = (error: unknown): DetailedResult<E> => {
      this.#running.delete(ticket);
      ticket.close();
      return this.#failed(eventName, error);
    };
    if (ticket.signal === undefined) return this.#start(firing, plan, report).then(conclude, fail);
    ticket.limitTo(planDeadlineMs(plan, this.#runner.limits ?? defaultLimits()));
    const finished: (HookExecutionResult | undefined)[] = new Array(plan.hookConfigs.length);
    const results = this.#start(firing, plan, report, finished);
    return Promise.race([results, this.#finishedInTime(firing, plan, finished)]).then(conclude, fail);
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

  #conclude<E extends HookEventName>(
    { eventName, payload, context, ticket }: Firing<E>,
    results: readonly HookExecutionResult[],
    report: Report,
    startedAt: number,
  ): DetailedResult<E> {
    try {
      const result = this.#aggregator.aggregateResults(results, eventName);
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
    } catch (thrown) {
      return this.#failed(eventName, thrown);
    }
  }

  #refused<E extends HookEventName>(
    { eventName, ticket }: Firing<E>,
    error: HookwrightError,
  ): Promise<DetailedResult<E>> {
    ticket.close();
    this.#warn(eventName, error);
    return Promise.resolve(broken(error));
  }

  #skip<E extends HookEventName>(
    eventName: E,
    context: PlanContext | undefined,
    correlationId: string | undefined,
  ): DetailedResult<E> {
    this.#deps.logger?.debug?.(skippedLine(eventName, subjectOf(context)));
    this.#reportOn({ eventName, context, correlationId }, [], 'none').concluded([]);
    return { result: emptyResult<E>(), results: [] };
  }

  #reportOn(
    { eventName, context, correlationId }: Pick<Firing<HookEventName>, 'eventName' | 'context' | 'correlationId'>,
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
      }),
      this.#clock,
    );
  }

  /** The base fields are ours: a payload that brings its own does not replace them. */
  #inputFor<E extends HookEventName>(eventName: E, payload: PayloadOf<E>): HookInput<E> {
    const config = this.#config;
    const base: BaseHookInput = {
      session_id: config.getSessionId(),
      transcript_path: config.getTranscriptPath?.() ?? '',
      cwd: workingDirOf(config),
      hook_event_name: eventName,
      timestamp: this.#timestamps.now(),
    };
    // Spreading onto what is there is a hundred times faster than adding members to a spread.
    const input = { ...base, ...catalogue[eventName].toFields(payload, this.#translator) };
    return hasBaseField(payload) ? { ...input, ...base } : input;
  }

  /** An infrastructure error: told to the log, and to the caller as a failed result. The agent goes on. */
  #failed<E extends HookEventName>(eventName: E, thrown: unknown): DetailedResult<E> {
    this.#warn(eventName, thrown);
    return broken(asError('internal_error', thrown));
  }

  #warn(eventName: HookEventName, thrown: unknown): void {
    this.#deps.logger?.warn?.(`${String(eventName)} could not be fired as it should: ${describeThrown(thrown)}`);
  }

  // ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Answers what is in flight as `disposed`, stops its hooks and waits until their processes are gone. Later requests
   * are refused. Safe to call twice, and from within a hook.
   */
  dispose(): Promise<void> {
    if (this.#disposing === undefined) {
      const handlers = this.#bus && handlersOn.get(this.#bus);
      if (handlers !== undefined) handlers.living -= 1;
      this.#disposing = this.#dispose();
    }
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    // Answers of the requests that are ended here still have to go out, and so have refusals of later ones.
    await undefined;
    for (const ticket of [...this.#running, ...this.#inFlight.values()]) ticket.end(disposed());
    await this.#runner.dispose?.();
  }
}

const disposed = (): HookwrightError => new HookwrightError('disposed', 'The hook system has been disposed of');

const unsupported = (eventName: string): HookwrightError =>
  new HookwrightError('unsupported_event', `"${eventName}" is not an event${suggestion(eventName, hookEventNames)}`, {
    details: { eventName, known: hookEventNames },
  });

const isEmpty = (plan: HookExecutionPlan | null): plan is null => plan === null || plan.hookConfigs.length === 0;

const contextOf = <E extends HookEventName>(eventName: E, payload: PayloadOf<E>): PlanContext | undefined => {
  const { subject } = catalogue[eventName];
  return subject === undefined ? undefined : { [subject.from]: subject.of(payload) };
};

const subjectOf = (context: PlanContext | undefined): string | undefined => context?.toolName ?? context?.trigger;

/** The result of an event that could not be handled. */
const broken = <E extends HookEventName>(error: HookwrightError): DetailedResult<E> => ({
  result: { ...emptyResult<E>(), success: false },
  results: [],
  error,
});

/** What a direct caller gets: the error of the request comes before those of its hooks. */
const toResult = <E extends HookEventName>({ result, error }: DetailedResult<E>): AggregatedResult<E> =>
  error === undefined ? result : { ...result, success: false, errors: [error, ...result.errors] };

const responseOf = <E extends HookEventName>(
  correlationId: string,
  eventName: string,
  { result, error }: DetailedResult<E>,
): HookExecutionResponse => ({
  type: MessageBusType.HOOK_EXECUTION_RESPONSE,
  correlationId,
  eventName,
  success: error === undefined,
  result,
  ...(result.finalOutput === undefined ? {} : { output: result.finalOutput }),
  ...(error === undefined ? {} : { error: { code: error.code, message: error.message, details: error.details } }),
});

/** What is wrong with a request's own fields; its payload is the event's business. */
const requestIssue = (request: unknown): string | undefined => {
  try {
    const read = messageSchemas()[MessageBusType.HOOK_EXECUTION_REQUEST].safeParse(request);
    if (read.success) return undefined;
    return read.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`).join('; ');
  } catch (error) {
    return `the request cannot be read: ${describeThrown(error)}`;
  }
};

export interface HookEventHandler extends FireMethods {}

addFireMethods(HookEventHandler.prototype);
