// Fires ability events: plans, runs and merges their hooks by the rules for abilities.
import type { Bus } from '../bus/index.ts';
import type { HookwrightError } from '../errors.ts';
import {
  type AbilityContextOf,
  type AbilityEventType,
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
  isRefusal,
} from '../events/index.ts';
import { attempt } from '../kit/index.ts';
import { type AbilityHookResult, findAbilityFates, mergeAbilityResults } from '../merging/index.ts';
import type { AbilityPlan, AbilityPlanner, PlannedAbilityHook } from '../planner/index.ts';
import {
  type AbilityEventRequest,
  type AbilityEventResponse,
  type AbilityEventResult,
  type AbilityHook,
  type AbilityOnFault,
  callSafely,
  createEmptyAbilityResult,
  createFailedAbilityResult,
  createPartLogger,
  exchanges,
  type HookConfig,
  type HookExecutionResult,
  type HookRow,
  type Logger,
  MessageBusType,
  noticeText,
  type RequestMessage,
  readHookResult,
} from '../protocol/index.ts';
import type { HookRunner, RunOptions } from '../runners/index.ts';
import { BackgroundHooks } from './background-hooks.ts';
import { EventHandler, type EventHandlerDeps } from './event-handler.ts';
import { type EventKind, type FireOptions, Firing, type FiringOutcome, Plan, toWireError } from './firing.ts';

export interface AbilityFireOptions extends FireOptions {
  /** True to run only blocking hooks. By default non-blocking hooks start too, and the event does not wait for them. */
  readonly blockingOnly?: boolean | undefined;
  /** Ends the non-blocking hooks when it aborts. They do not end when `signal` aborts. */
  readonly until?: AbortSignal | undefined;
}

interface AbilityEventKindDeps {
  readonly planner: AbilityPlanner;
  readonly runner: HookRunner;
  /** A runner with process slots of its own, so that background hooks never delay a hook that an event waits for. */
  readonly backgroundRunner: HookRunner;
}

interface AbilityOptions {
  readonly logger?: Logger | undefined;
  /** Called when a hook has ended, background hooks included. */
  readonly onRun?: ((run: AbilityHookResult & { readonly eventType: AbilityEventType }) => void) | undefined;
  /** The `onFault` of blocking hooks that declare none. `skip` by default. */
  readonly onFault?: AbilityOnFault | undefined;
}

export interface AbilityEventHandlerDeps extends EventHandlerDeps<AbilityEventType>, AbilityOptions {}

/** Fires the events of abilities, which are hooks that a repository declares in YAML. */
export class AbilityEventHandler extends EventHandler {
  readonly #kind: AbilityEventKind;

  constructor(parts: AbilityEventKindDeps, bus?: Bus, deps: AbilityEventHandlerDeps = {}) {
    const kind = new AbilityEventKind(parts, { ...deps, logger: createPartLogger(deps.logger, 'handler') });
    super(kind, bus, deps);
    this.#kind = kind;
  }

  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options?: AbilityFireOptions,
  ): Promise<AbilityEventResult> {
    return this.perform(this.#kind.firing(eventType, context, options), ({ result }) => result);
  }

  /** Resolves when all background hooks have ended. */
  idle(): Promise<void> {
    return this.#kind.background.idle();
  }
}

class AbilityFiring<E extends AbilityEventType> extends Firing<AbilityEventResult> {
  declare readonly eventName: E;
  declare readonly payload: AbilityContextOf<E>;
  declare readonly options: AbilityFireOptions;
  readonly #kind: AbilityEventKind;
  #made: AbilityPlan | undefined;
  readonly #planned = new Map<HookConfig, PlannedAbilityHook>();

  constructor(
    kind: AbilityEventKind,
    eventName: E,
    payload: AbilityContextOf<E>,
    options: AbilityFireOptions,
    correlationId?: string,
  ) {
    super(eventName, payload, options, correlationId);
    this.#kind = kind;
  }

  /** A getter of the host's context may throw, because the context is validated only if a hook runs. */
  get subject(): string | undefined {
    const subject = attempt((): unknown => abilityCatalogue[this.eventName].match.ability?.(this.payload)[0]);
    return typeof subject === 'string' ? subject : undefined;
  }

  plan(): Plan | undefined {
    const { planner, runner } = this.#kind.parts;
    const { blockingOnly } = this.options;
    this.#made = planner.plan(this.eventName, this.payload, { blockingOnly });
    for (const planned of this.#made.hooks) this.#planned.set(planned.config, planned);
    if (this.#planned.size === 0) return undefined;
    return new Plan([...this.#planned.keys()], false, {
      limits: runner.limits,
      isGuard: (config) => {
        const hook = this.#planned.get(config)?.hook;
        return hook?.blocking === true && this.#onFaultOf(hook) === 'fail';
      },
      isBackground: (config) => this.#planned.get(config)?.hook.blocking === false,
    });
  }

  #onFaultOf({ onFault }: AbilityHook): AbilityOnFault {
    return onFault ?? this.#kind.policy.onFault ?? 'skip';
  }

  #runOf(result: HookExecutionResult): AbilityHookResult | undefined {
    const hook = this.#planned.get(result.hookConfig)?.hook;
    if (hook === undefined) return undefined;
    const { id: hookId, blocking, onLapse } = hook;
    // If the program changed since its approval, `onLapse` replaces `onFault`, so that an edited program cannot disable
    // a guard.
    const isLapsed = result.code === 'changed-since-trusted' && onLapse !== undefined;
    return { hookId, blocking, onFault: isLapsed ? onLapse : this.#onFaultOf(hook), result };
  }

  rows(): readonly HookRow[] | undefined {
    return this.#made?.rows();
  }

  payloadProblem(): string | undefined {
    const read = abilityCatalogue[this.eventName].read(this.payload);
    return read.ok ? undefined : read.message;
  }

  run(plan: Plan, how: RunOptions): Promise<readonly HookExecutionResult[]> {
    const { background, parts } = this.#kind;
    const { runner, backgroundRunner } = parts;
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

  merge(_plan: Plan, results: readonly HookExecutionResult[], error: HookwrightError | undefined): AbilityEventResult {
    const runs = results.flatMap((result) => this.#runOf(result) ?? []);
    const result = mergeAbilityResults(this.eventName, runs);
    if (error === undefined) return result;
    const { code, message } = error;
    return { error: { code, message }, ...result, success: false };
  }

  resultWithoutHooks(): AbilityEventResult {
    return createEmptyAbilityResult(this.eventName);
  }

  failedResult(error: HookwrightError): AbilityEventResult {
    return createFailedAbilityResult(this.eventName, error);
  }

  fates(results: readonly HookExecutionResult[], hookIds: readonly string[]) {
    return findAbilityFates(results, hookIds);
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

  response(correlationId: string, { result, error }: FiringOutcome<AbilityEventResult>): AbilityEventResponse {
    const type = MessageBusType.ABILITY_EVENT_RESPONSE;
    const { eventName: eventType } = this;
    if (error === undefined) return { type, correlationId, eventType, success: true, result };
    return { type, correlationId, eventType, success: false, result, error: toWireError(error) };
  }

  override onHookEnded(result: HookExecutionResult): void {
    const run = this.#runOf(result);
    if (run !== undefined) this.#kind.logRun(this.eventName, run);
  }
}

class AbilityEventKind implements EventKind {
  readonly exchange = exchanges[MessageBusType.ABILITY_EVENT_REQUEST];
  readonly names = abilityEventTypes;
  readonly noun = 'an ability event';
  readonly refusesUnhandled = true;
  readonly parts: AbilityEventKindDeps;
  readonly background = new BackgroundHooks();
  readonly policy: AbilityOptions;

  constructor(parts: AbilityEventKindDeps, policy: AbilityOptions) {
    this.parts = parts;
    this.policy = policy;
  }

  firing<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions = {},
    correlationId?: string,
  ): Firing<AbilityEventResult> {
    return new AbilityFiring(this, eventType, context, options, correlationId);
  }

  isEvent(name: unknown): name is AbilityEventType {
    return isAbilityEventType(name);
  }

  readRequest(request: AbilityEventRequest): Firing<object> | string | undefined {
    const { context, correlationId, eventType, timeoutMs, blockingOnly } = request;
    if (!isAbilityEventType(eventType)) return undefined;
    const read = abilityCatalogue[eventType].read(context);
    return read.ok ? this.firing(eventType, read.payload, { timeoutMs, blockingOnly }, correlationId) : read.message;
  }

  logRun(eventType: AbilityEventType, run: AbilityHookResult): void {
    const { logger, onRun } = this.policy;
    const { hookId: id, result } = run;
    for (const warning of result.warnings ?? []) {
      const line = `${eventType}: hook "${id}": ${noticeText(warning)}`;
      // The trace shows this warning for every run, so the log has it only at level debug.
      if (warning.code === 'withheld-variables') logger?.debug?.(line);
      else logger?.warn?.(line);
    }
    if (result.code !== undefined) {
      const what = result.error?.message ?? `hook "${id}" ended with the fault ${result.code}`;
      logger?.error?.(`${eventType}: ${what} (fault "${result.code}")`);
    }
    if (!run.blocking && readHookResult(result.output).hook_signals?.some(isRefusal) === true) {
      logger?.error?.(`${eventType}: hook "${id}" refused, and nothing waits for it; write blocking: true`);
    }
    callSafely(logger, 'onRun', () => onRun?.({ eventType, ...run }));
  }

  async dispose(): Promise<void> {
    const { runner, backgroundRunner } = this.parts;
    await Promise.all([runner.dispose(), this.background.end(), backgroundRunner.dispose()]);
  }
}
