// Fires the agent's events: plans, runs and merges their hooks by the rules for agent events.
import type { HookwrightError } from '../errors.ts';
import {
  type AggregatedResult,
  ContinueCounter,
  catalogue,
  createHookOutput,
  DEFAULT_MAX_STOPS,
  firedEventNames,
  type HookEventName,
  type HookInput,
  isHookEventName,
  type PayloadOf,
} from '../events/index.ts';
import { describeValue, doNothing, isRecord, type MaybePromise } from '../kit/index.ts';
import {
  addConflictWarnings,
  createEmptyResult,
  denyOnConflict,
  findOutputFates,
  type HookAggregator,
  isMergedByAgent,
  limitModelText,
  mergeByAgents,
} from '../merging/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../models/index.ts';
import { createPlanContext, type HookExecutionPlan, type HookPlanner, type PlanContext } from '../planner/index.ts';
import {
  callSafely,
  exchanges,
  getWorkingDir,
  type HookConfig,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionResult,
  type HookRow,
  type HostConfig,
  hasBaseField,
  isGuard,
  type Logger,
  MessageBusType,
  notice,
  type RequestMessage,
  runsInBackground,
  withWarnings,
} from '../protocol/index.ts';
import {
  defaultLimits,
  getSignal,
  HookRunner,
  type OnHookEnd,
  type RunnerLimits,
  type RunOptions,
  withTraceParent,
} from '../runners/index.ts';
import { BackgroundHooks, keepLateAnswer, toLateAnswer } from './background-hooks.ts';
import {
  type EventKind,
  type FireOptions,
  Firing,
  type FiringOutcome,
  type GuardRecheck,
  Plan,
  toWireError,
} from './firing.ts';
import { findGuardRecheck, isRecheck, mayRecheck, toRecheckResult } from './recheck-guards.ts';
import type { GuardWarnings } from './reporting/guard-warnings.ts';

export type EventPlanner = Pick<HookPlanner, 'createExecutionPlan'> & Partial<Pick<HookPlanner, 'explain'>>;
export type EventRunner = Pick<HookRunner, 'executeHooksParallel' | 'executeHooksSequential'> &
  Partial<Pick<HookRunner, 'limits' | 'dispose' | 'hasSession' | 'endSession'>>;
export type EventAggregator = Pick<HookAggregator, 'aggregateResults'>;

/**
 * Which hooks this process runs: all (`here`), all but background hooks (`left`), or only background hooks (`alone`).
 */
export type BackgroundMode = 'here' | 'left' | 'alone';

export interface AgentOptions {
  readonly translator?: AnyHookTranslator | undefined;
  readonly background?: BackgroundMode | undefined;
  /** Called before an event is planned, and awaited if it returns a promise. The hook system loads hooks here. */
  readonly ready?: ((eventName: string) => Promise<void> | undefined) | undefined;
}

export interface AgentEventKindDeps extends AgentOptions {
  readonly config: HostConfig;
  readonly planner: EventPlanner;
  readonly runner: EventRunner;
  readonly aggregator: EventAggregator;
  readonly timestamp: () => string;
  readonly warnings: GuardWarnings | undefined;
  readonly logger: Logger | undefined;
}

const endsSession = (eventName: HookEventName): boolean => catalogue[eventName].endsSession === true;

const supportsContext = (eventName: HookEventName): boolean =>
  catalogue[eventName].supports.some((field) => field === 'additionalContext');

/**
 * False if the host wrapped the runner. The engine then calls the wrapper's public methods instead of `runParallel`.
 */
const isBuiltInRunner = (runner: EventRunner): runner is HookRunner =>
  runner instanceof HookRunner && runner.executeHooksParallel === HookRunner.prototype.executeHooksParallel;

const createHookInput = <E extends HookEventName>(
  { config, logger, translator = defaultHookTranslator, timestamp: now }: AgentEventKindDeps,
  eventName: E,
  payload: PayloadOf<E>,
): HookInput<E> => {
  const fields = catalogue[eventName].toFields(payload, translator);
  const session_id = config.getSessionId();
  const transcript_path = callSafely(logger, 'getTranscriptPath', () => config.getTranscriptPath?.()) ?? '';
  const cwd = callSafely(logger, 'getEventDir', () => config.getEventDir?.()) ?? getWorkingDir(config);
  const timestamp = now();
  // V8 builds an object literal that ends in the spread up to 30 times faster than other forms.
  const input = { session_id, transcript_path, cwd, hook_event_name: eventName, timestamp, ...fields };
  if (!hasBaseField(payload)) return input;
  return { ...input, session_id, transcript_path, cwd, hook_event_name: eventName, timestamp };
};

/**
 * A hook that blocks the end of a turn makes the agent continue. After `maxStops` blocks, the block becomes `continue:
 * false`.
 */
const stopEndlessLoops = (
  eventName: HookEventName,
  results: readonly HookExecutionResult[],
  stops: number,
): readonly HookExecutionResult[] =>
  results.map((result) => {
    const { hookConfig, output } = result;
    const { maxStops = DEFAULT_MAX_STOPS } = hookConfig;
    const isLast = maxStops !== null && stops >= maxStops && !isMergedByAgent(hookConfig);
    if (!isLast || output === undefined || !createHookOutput(eventName, output).isBlockingDecision()) return result;
    const message = `hooks sent the agent on ${stops} times for this prompt, and no more than ${maxStops} are heeded: it stops`;
    const { decision: _block, reason = 'none was given', ...rest } = output;
    const stopReason = `${message}. The last reason: ${reason}`;
    const warning = notice('limit-reached', message, { fix: 'raise maxStops of the hook if its checks take longer' });
    return withWarnings({ ...result, output: { ...rest, continue: false, stopReason } }, [warning]);
  });

class AgentFiring<E extends HookEventName> extends Firing<AggregatedResult<E>> {
  declare readonly eventName: E;
  declare readonly payload: PayloadOf<E>;
  readonly #kind: AgentEventKind;
  #context: PlanContext | undefined;
  /** How often hooks made the agent continue for this prompt. `undefined` if hooks of this event cannot do so. */
  #stops: number | undefined;
  #deniesConflicts = false;

  constructor(kind: AgentEventKind, eventName: E, payload: PayloadOf<E>, options: FireOptions, correlationId?: string) {
    super(eventName, payload, options, correlationId);
    this.#kind = kind;
  }

  get subject(): string | undefined {
    return this.#context?.toolName ?? this.#context?.trigger;
  }

  plan(): Plan | undefined {
    this.#context = createPlanContext(this.eventName, this.payload);
    if (catalogue[this.eventName].endsTurn === true) this.#stops = this.#kind.countStops({ ...this.payload });
    const plan = this.#kind.planOf(this.eventName, this.#context);
    return plan === undefined || !this.#isRecheck ? plan : plan.narrow(() => true);
  }

  /** In a recheck, guards judge a changed call again. They run in parallel, because only their verdicts are used. */
  get #isRecheck(): boolean {
    return isRecheck(this.eventName, this.payload);
  }

  rows(): readonly HookRow[] | undefined {
    return this.#kind.parts.planner.explain?.(this.eventName, this.#context);
  }

  payloadProblem(): string | undefined {
    const read = catalogue[this.eventName].read(this.payload);
    return read.ok ? undefined : read.message;
  }

  override isObserved(): boolean {
    const { config, logger } = this.#kind.parts;
    return callSafely(logger, 'getMode', () => config.getMode?.()) === 'observe';
  }

  run(plan: Plan, how: RunOptions): MaybePromise<readonly HookExecutionResult[]> {
    const { hooks, sequential } = plan;
    const made = createHookInput(this.#kind.parts, this.eventName, this.payload);
    const input = this.#stops === undefined ? made : { ...made, stop_count: this.#stops };
    const { background = 'here' } = this.#kind.parts;
    if (!plan.hasBackground && background !== 'alone') return this.#runHooks(hooks, sequential, input, how);
    const { runs, late } = this.#kind;
    const isObserved = this.isObserved();
    const onEnd: OnHookEnd = (hook, result, index) => {
      const isLate = plan.isBackground(index);
      const counted = isLate ? toLateAnswer(result, late !== this.#kind.late) : result;
      if (isLate && !isObserved) keepLateAnswer(late, counted);
      how.onEnd?.(hook, counted, index);
    };
    return runs.run({
      plan,
      eventName: this.eventName,
      how: { ...how, onEnd },
      runAwaited: (some, round) => (background === 'alone' ? [] : this.#runHooks(some, sequential, input, round)),
      runInBackground: (some, round) => (background === 'left' ? [] : this.#runHooks(some, false, input, round)),
    });
  }

  #runHooks(
    hooks: readonly HookConfig[],
    sequential: boolean,
    input: HookInput<E>,
    how: RunOptions,
  ): MaybePromise<readonly HookExecutionResult[]> {
    const { runner } = this.#kind.parts;
    if (!sequential && isBuiltInRunner(runner)) return runner.runParallel(hooks, this.eventName, input, how);
    const execute = sequential ? 'executeHooksSequential' : 'executeHooksParallel';
    const { onStart = doNothing, onEnd = doNothing, ending, traceParent } = how;
    const signal = ending === undefined ? [] : [getSignal(ending)];
    return withTraceParent(traceParent, () => runner[execute](hooks, this.eventName, input, onStart, onEnd, ...signal));
  }

  override prepareResults(plan: Plan, results: readonly HookExecutionResult[]): readonly HookExecutionResult[] {
    const read = this.#isRecheck ? results.map(toRecheckResult) : results;
    const ended = this.#stops === undefined ? read : stopEndlessLoops(this.eventName, read, this.#stops);
    const merged = plan.facts.isMergedByAgents === true ? mergeByAgents(ended) : ended;
    const { config, logger } = this.#kind.parts;
    const rule = callSafely(logger, 'getOnConflict', () => config.getOnConflict?.() ?? 'last');
    this.#deniesConflicts = rule === undefined || rule === 'deny';
    if (!this.#deniesConflicts || plan.sequential) return merged;
    return addConflictWarnings(merged, this.eventName, createHookInput(this.#kind.parts, this.eventName, this.payload));
  }

  override recheck(plan: Plan, results: readonly HookExecutionResult[]): GuardRecheck<AggregatedResult<E>> | undefined {
    // Without `hookSpecificOutput` no hook changed the call. Merging to find out would cost as much as a function hook.
    if (results.every(({ output }) => output?.hookSpecificOutput === undefined)) return undefined;
    const { finalOutput } = this.#aggregate(plan, results);
    // Guards need not judge a blocked call again.
    if (finalOutput?.isBlockingDecision() || finalOutput?.shouldStopExecution()) return undefined;
    const again = findGuardRecheck(this.eventName, this.payload, plan, results, finalOutput);
    if (again === undefined) return undefined;
    const { hookIndexes, payload } = again;
    return { hookIndexes, firing: new AgentFiring(this.#kind, this.eventName, payload, this.options) };
  }

  override withinModelText(results: readonly HookExecutionResult[]): readonly HookExecutionResult[] {
    return limitModelText(results, this.#kind.limits.modelTextBytes);
  }

  #aggregate(plan: Plan | undefined, results: readonly HookExecutionResult[]): AggregatedResult<E> {
    const counting = this.#deniesConflicts ? denyOnConflict(results) : results;
    return this.#kind.parts.aggregator.aggregateResults(counting, this.eventName, plan?.sequential);
  }

  merge(plan: Plan, results: readonly HookExecutionResult[], error: HookwrightError | undefined): AggregatedResult<E> {
    this.#kind.parts.warnings?.warnOfFaults(this.eventName, results);
    const late = error === undefined && !this.isObserved() ? this.#kind.takeLate(this.eventName) : [];
    const result = this.#aggregate(plan, late.length === 0 ? results : this.withinModelText([...results, ...late]));
    if (!isRecord(result)) throw new TypeError(`the aggregator gave no result but ${describeValue(result)}`);
    if (error !== undefined) result.success = false;
    this.#kind.endSession(this.eventName, plan);
    return result;
  }

  resultWithoutHooks(): AggregatedResult<E> {
    if (this.#kind.late.length === 0 && !endsSession(this.eventName)) return createEmptyResult();
    this.#kind.endSession(this.eventName);
    const late = this.#kind.takeLate(this.eventName);
    return late.length === 0 ? createEmptyResult() : this.#aggregate(undefined, this.withinModelText(late));
  }

  failedResult(): AggregatedResult<E> {
    return { ...createEmptyResult<E>(), success: false };
  }

  fates(results: readonly HookExecutionResult[], hookIds: readonly string[], isSequence: boolean) {
    return findOutputFates(results, this.eventName, hookIds, isSequence);
  }

  override changeNote({ finalOutput }: AggregatedResult<E>): string {
    const change = finalOutput?.hookSpecificOutput?.llm_request;
    return change === undefined || Object.keys(change).length === 0 ? '' : ' (modified request)';
  }

  request(correlationId: string): RequestMessage {
    const type = MessageBusType.HOOK_EXECUTION_REQUEST;
    const { eventName, payload, options } = this;
    const { timeoutMs } = options;
    return { type, correlationId, eventName, payload, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  }

  response(correlationId: string, { result, error }: FiringOutcome<AggregatedResult<E>>): HookExecutionResponse {
    const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
    const { eventName } = this;
    const { finalOutput: output } = result;
    if (error !== undefined) {
      const failure = { type, correlationId, eventName, success: false as const, result, error: toWireError(error) };
      return output === undefined ? failure : { ...failure, output };
    }
    return output === undefined
      ? { type, correlationId, eventName, success: true, result }
      : { type, correlationId, eventName, success: true, result, output };
  }
}

export class AgentEventKind implements EventKind {
  readonly exchange = exchanges[MessageBusType.HOOK_EXECUTION_REQUEST];
  readonly names = firedEventNames;
  readonly noun = 'an event';
  readonly parts: AgentEventKindDeps;
  readonly runs = new BackgroundHooks();
  /** Answers of background hooks, kept until an event passes them to the model. */
  late: HookExecutionResult[] = [];
  #loops: ContinueCounter | undefined;
  /** The planner returns the same object for the same hooks, so the `Plan` for it is computed once. */
  readonly #plans = new WeakMap<HookExecutionPlan, Plan>();

  constructor(parts: AgentEventKindDeps) {
    this.parts = parts;
  }

  needsEvent(eventName: string): boolean {
    if (!isHookEventName(eventName)) return false;
    const hasLate = this.late.length > 0;
    if (!endsSession(eventName)) return hasLate && supportsContext(eventName);
    return hasLate || !this.runs.isIdle || this.parts.runner.hasSession === true;
  }

  takeLate(eventName: HookEventName): readonly HookExecutionResult[] {
    const { late } = this;
    // Background hooks that still run keep the old list, so that their answers reach no later session.
    if (endsSession(eventName)) this.late = [];
    else if (late.length === 0 || !supportsContext(eventName)) return [];
    return late.splice(0);
  }

  /** Waits for the background hooks of the session before the state of the session is removed. */
  endSession(eventName: HookEventName, plan?: Plan): void {
    const { runner, background } = this.parts;
    if (!endsSession(eventName) || (background === 'left' && plan?.hasBackground === true)) return;
    const end = (): void => runner.endSession?.();
    if (this.runs.isIdle) end();
    else this.runs.idle().then(end, end);
  }

  /** A count of stops that the host or agent passes in the payload takes precedence over the engine's counter. */
  countStops(payload: Readonly<Record<string, unknown>>): number {
    const { stop_count: given, stop_hook_active: isSentOn, agent_type: agent = '' } = payload;
    this.#loops ??= new ContinueCounter();
    const counted = this.#loops.count(String(agent), isSentOn === true);
    return typeof given === 'number' ? given : counted;
  }

  hasHooks(eventName: string): boolean {
    return (this.parts.planner.explain?.(eventName) ?? []).length > 0;
  }

  get limits(): RunnerLimits {
    return this.parts.runner.limits ?? defaultLimits();
  }

  firing<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options: FireOptions = {},
    correlationId?: string,
  ): Firing<AggregatedResult<E>> {
    return new AgentFiring(this, eventName, payload, options, correlationId);
  }

  planOf(eventName: HookEventName, context: PlanContext | undefined): Plan | undefined {
    const made = this.parts.planner.createExecutionPlan(eventName, context);
    if (made === null || made.hookConfigs.length === 0) return undefined;
    const known = this.#plans.get(made);
    if (known !== undefined) return known;
    const { hookConfigs: hooks, sequential } = made;
    const plan = new Plan(hooks, sequential, {
      limits: this.limits,
      isGuard,
      isBackground: runsInBackground,
      mayRecheck: mayRecheck(eventName, hooks),
      isMergedByAgents: hooks.some(isMergedByAgent),
    });
    this.#plans.set(made, plan);
    return plan;
  }

  isEvent(name: unknown): name is HookEventName {
    return isHookEventName(name);
  }

  isSurelyValid({ eventName, payload, input, timeoutMs, handledBy }: HookExecutionRequest): boolean {
    return (
      typeof eventName === 'string' &&
      isRecord(payload) &&
      input === undefined &&
      handledBy === undefined &&
      (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0))
    );
  }

  readRequest(request: HookExecutionRequest): Firing<object> | string | undefined {
    const { correlationId, eventName, payload, input, timeoutMs } = request;
    if (!isHookEventName(eventName)) return undefined;
    const read = catalogue[eventName].read(payload ?? input ?? {});
    return read.ok ? this.firing(eventName, read.payload, { timeoutMs }, correlationId) : read.message;
  }

  ready(eventName: string): Promise<void> | undefined {
    return this.parts.ready?.(eventName);
  }

  budgetMs(eventName: string): number | undefined {
    return isHookEventName(eventName) ? this.parts.config.getBudgetMs?.(eventName) : undefined;
  }

  async dispose(): Promise<void> {
    await Promise.all([this.parts.runner.dispose?.(), this.runs.end()]);
  }
}

export const addEventError = <E extends HookEventName>({
  result,
  error,
}: FiringOutcome<AggregatedResult<E>>): AggregatedResult<E> => {
  if (error === undefined) return result;
  const { finalOutput, allOutputs, errors, totalDuration } = result;
  return { success: false, finalOutput, allOutputs, errors: [error, ...errors], totalDuration };
};
