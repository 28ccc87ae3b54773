import type { HookwrightError } from '../errors.ts';
import {
  type AbilityContextOf,
  type AbilityEventType,
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
  isRefusal,
} from '../events/index.ts';
import { type AbilityHookResult, abilityFates, mergeAbilityResults } from '../merging/index.ts';
import type { AbilityPlanner, AbilityPlan as MadePlan, PlannedAbilityHook } from '../planner/index.ts';
import {
  type AbilityEventRequest,
  type AbilityEventResponse,
  type AbilityEventResult,
  type AbilityOnFault,
  answerIn,
  emptyAbilityResult,
  exchanges,
  failedAbilityResult,
  type HookConfig,
  type HookExecutionResult,
  type HookRow,
  type Logger,
  MessageBusType,
  noticeText,
  planDeadlineMs,
  type RequestMessage,
} from '../protocol/index.ts';
import type { HookRunner, RunnerLimits, RunOptions } from '../runners/index.ts';
import type { BackgroundRuns } from './background-runs.ts';
import {
  type Arrival,
  type Family,
  type FatesOf,
  type FireOptions,
  Firing,
  type Outcome,
  type Plan,
} from './firing.ts';
import { callSafely } from './reporting/observers.ts';

export interface AbilityFireOptions extends FireOptions {
  /** Hooks that are not blocking are left out. By default they are started too, and not waited for. */
  readonly blockingOnly?: boolean | undefined;
  /** Ends the hooks that are not waited for, which otherwise go on when `signal` has aborted. */
  readonly until?: AbortSignal | undefined;
}

export interface AbilityParts {
  readonly planner: AbilityPlanner;
  readonly runner: HookRunner;
  readonly background: BackgroundRuns;
  /** What no event waits for takes no slot from what is waited for. */
  readonly backgroundRunner: HookRunner;
}

export interface AbilityPolicy {
  readonly logger?: Logger | undefined;
  /** Called with how each hook ended, those in the background included. */
  readonly onRun?: ((run: AbilityHookResult & { readonly eventType: AbilityEventType }) => void) | undefined;
  /** What a fault of a blocking hook leads to where its declaration does not say. Default: `skip`. */
  readonly onFault?: AbilityOnFault | undefined;
}

/** The hooks of one event, and what their faults lead to. */
class AbilityPlan implements Plan {
  readonly sequential = false;
  readonly mayAskAgain = false;
  readonly hooks: readonly HookConfig[];
  readonly planned: readonly PlannedAbilityHook[];
  readonly #defaultOnFault: AbilityOnFault;
  readonly #limits: RunnerLimits;

  constructor(planned: readonly PlannedAbilityHook[], defaultOnFault: AbilityOnFault, limits: RunnerLimits) {
    this.planned = planned;
    this.hooks = planned.map(({ config }) => config);
    this.#defaultOnFault = defaultOnFault;
    this.#limits = limits;
  }

  isBackground(index: number): boolean {
    return this.planned[index]?.hook.blocking === false;
  }

  deadlineMs(): number {
    const awaited = this.hooks.filter((_hook, index) => !this.isBackground(index));
    return planDeadlineMs(
      awaited.map(({ timeout }) => timeout),
      false,
      this.#limits,
    );
  }

  isGuard(index: number): boolean {
    const planned = this.planned[index];
    return planned?.hook.blocking === true && this.#onFaultOf(planned) === 'fail';
  }

  narrow(places: readonly number[]): AbilityPlan {
    const some = this.planned.filter((_hook, index) => places.includes(index));
    return new AbilityPlan(some, this.#defaultOnFault, this.#limits);
  }

  #onFaultOf({ hook }: PlannedAbilityHook): AbilityOnFault {
    return hook.onFault ?? this.#defaultOnFault;
  }

  runOf(index: number, result: HookExecutionResult): AbilityHookResult | undefined {
    const planned = this.planned[index];
    if (planned === undefined) return undefined;
    const { id: hookId, blocking, onLapse } = planned.hook;
    // Who can change what a guard runs must not switch it off by that.
    const isLapsed = result.code === 'changed-since-trusted' && onLapse !== undefined;
    return { hookId, blocking, onFault: isLapsed ? onLapse : this.#onFaultOf(planned), result };
  }
}

/** One event of an ability: a record of `events/abilities/ability-catalogue.ts`. */
class AbilityFiring<E extends AbilityEventType> extends Firing<AbilityEventResult> {
  declare readonly eventName: E;
  declare readonly payload: AbilityContextOf<E>;
  declare readonly options: AbilityFireOptions;
  readonly #family: AbilityFamily;
  #made: MadePlan | undefined;

  constructor(
    family: AbilityFamily,
    eventName: E,
    payload: AbilityContextOf<E>,
    options: AbilityFireOptions,
    arrival?: Arrival,
  ) {
    super(eventName, payload, options, arrival);
    this.#family = family;
  }

  /** A context for which nothing runs was never checked. */
  get subject(): string | undefined {
    try {
      const subject: unknown = abilityCatalogue[this.eventName].match.ability?.(this.payload)[0];
      return typeof subject === 'string' ? subject : undefined;
    } catch {
      return undefined;
    }
  }

  plan(): AbilityPlan | undefined {
    const { parts, policy } = this.#family;
    const { blockingOnly } = this.options;
    this.#made = parts.planner.plan(this.eventName, this.payload, { blockingOnly });
    const { hooks } = this.#made;
    return hooks.length === 0 ? undefined : new AbilityPlan(hooks, policy.onFault ?? 'skip', parts.runner.limits);
  }

  rows(): readonly HookRow[] | undefined {
    return this.#made?.rows();
  }

  problem(): string | undefined {
    const read = abilityCatalogue[this.eventName].read(this.payload);
    return read.ok ? undefined : read.message;
  }

  /** Starts those that are not waited for, and runs the others to their end. */
  run(plan: AbilityPlan, how: RunOptions): Promise<readonly HookExecutionResult[]> {
    const { runner, background, backgroundRunner } = this.#family.parts;
    const { eventName, options } = this;
    const input = { ...this.payload, event_type: eventName };
    return background.run({
      plan,
      eventName,
      how,
      until: options.until,
      runAwaited: (hooks, round) => runner.runParallel(hooks, eventName, input, round),
      runInBackground: (hooks, round) => backgroundRunner.runParallel(hooks, eventName, input, round),
    });
  }

  merge(
    plan: AbilityPlan,
    results: readonly HookExecutionResult[],
    error: HookwrightError | undefined,
  ): AbilityEventResult {
    const runs = results.flatMap((result, index) => plan.runOf(index, result) ?? []);
    const result = mergeAbilityResults(this.eventName, runs);
    if (error === undefined) return result;
    const { code, message } = error;
    return { error: { code, message }, ...result, success: false };
  }

  nothing(): AbilityEventResult {
    return emptyAbilityResult(this.eventName);
  }

  broken(error: HookwrightError): AbilityEventResult {
    return failedAbilityResult(this.eventName, error);
  }

  fates(): FatesOf {
    return abilityFates;
  }

  request(correlationId: string): RequestMessage {
    const { timeoutMs, blockingOnly } = this.options;
    return {
      type: MessageBusType.ABILITY_EVENT_REQUEST,
      correlationId,
      eventType: this.eventName,
      context: this.payload,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(blockingOnly === undefined ? {} : { blockingOnly }),
    };
  }

  response(correlationId: string, { result, error }: Outcome<AbilityEventResult>): AbilityEventResponse {
    const type = MessageBusType.ABILITY_EVENT_RESPONSE;
    const { eventName: eventType } = this;
    if (error === undefined) return { type, correlationId, eventType, success: true, result };
    const { code, message, details } = error;
    return { type, correlationId, eventType, success: false, result, error: { code, message, details } };
  }

  override hookEnded(plan: AbilityPlan, index: number, result: HookExecutionResult): void {
    const run = plan.runOf(index, result);
    if (run !== undefined) this.#family.logRun(this.eventName, run);
  }
}

/** The hooks of a repository's abilities. */
export class AbilityFamily implements Family {
  readonly exchange = exchanges[MessageBusType.ABILITY_EVENT_REQUEST];
  readonly names = abilityEventTypes;
  readonly noun = 'an ability event';
  readonly parts: AbilityParts;
  readonly policy: AbilityPolicy;

  constructor(parts: AbilityParts, policy: AbilityPolicy) {
    this.parts = parts;
    this.policy = policy;
  }

  firing<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions = {},
    arrival?: Arrival,
  ): Firing<AbilityEventResult> {
    return new AbilityFiring(this, eventType, context, options, arrival);
  }

  isEvent(name: unknown): name is AbilityEventType {
    return isAbilityEventType(name);
  }

  firingOf(request: AbilityEventRequest): Firing<object> | string {
    const { eventType, ...rest } = request;
    return isAbilityEventType(eventType) ? this.#read(rest, eventType) : 'it is not an ability event';
  }

  #read<E extends AbilityEventType>(
    { context, correlationId, timeoutMs, blockingOnly }: Omit<AbilityEventRequest, 'eventType'>,
    eventType: E,
  ): Firing<object> | string {
    const read = abilityCatalogue[eventType].read(context);
    if (!read.ok) return read.message;
    return this.firing(eventType, read.payload, { timeoutMs, blockingOnly }, { correlationId });
  }

  ready(): undefined {
    return undefined;
  }

  logRun(eventType: AbilityEventType, run: AbilityHookResult): void {
    const { logger, onRun } = this.policy;
    const { hookId: id, result } = run;
    for (const warning of result.warnings ?? []) {
      const line = `${eventType}: hook "${id}": ${noticeText(warning)}`;
      // It is so at every run, and its rows have it.
      if (warning.code === 'withheld-variables') logger?.debug?.(line);
      else logger?.warn?.(line);
    }
    if (result.code !== undefined) {
      const what = result.error?.message ?? `hook "${id}" ended with the fault ${result.code}`;
      logger?.error?.(`${eventType}: ${what} (fault "${result.code}")`);
    }
    if (!run.blocking && answerIn(result.output).hook_signals?.some(isRefusal) === true) {
      logger?.error?.(`${eventType}: hook "${id}" refused, and nothing waits for it; write blocking: true`);
    }
    callSafely(logger, 'onRun', () => onRun?.({ eventType, ...run }));
  }

  async dispose(): Promise<void> {
    const { runner, background, backgroundRunner } = this.parts;
    await Promise.all([runner.dispose(), background.end(), backgroundRunner.dispose()]);
  }
}
