// The base types of events that the engine fires; agent events and ability events implement them.
import { HookwrightError } from '../errors.ts';
import { describeValue, formatSuggestion, type MaybePromise } from '../kit/index.ts';
import {
  type AnswerMessage,
  computePlanDeadlineMs,
  type Exchange,
  type FieldFate,
  type HookConfig,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookRow,
  type RequestMessage,
} from '../protocol/index.ts';
import type { RunnerLimits, RunOptions } from '../runners/index.ts';

export interface FireOptions {
  /** Deadline of the whole event, including the wait for permission to start processes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FiringOutcome<Result> {
  readonly result: Result;
  readonly results: readonly HookExecutionResult[];
  readonly error?: HookwrightError;
  /** Correlation id of the messages that show a direct call to listeners on the bus. */
  readonly correlationId?: string;
}

export const thenMaybe = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value);

export interface PlanFacts {
  readonly limits: RunnerLimits;
  readonly isGuard: (hook: HookConfig) => boolean;
  readonly isBackground: (hook: HookConfig) => boolean;
  /** True if a guard may have to judge the call again after other hooks changed the call. */
  readonly mayRecheck?: boolean;
  /** True if some answers are merged by the rules of another agent. */
  readonly isMergedByAgents?: boolean;
}

/** The hooks of an event in configured order. A plan does not depend on the payload, so later events reuse it. */
export class Plan {
  readonly hooks: readonly HookConfig[];
  readonly sequential: boolean;
  readonly facts: PlanFacts;
  readonly hasBackground: boolean;
  #deadlineMs: number | undefined;

  constructor(hooks: readonly HookConfig[], sequential: boolean, facts: PlanFacts) {
    this.hooks = hooks;
    this.sequential = sequential;
    this.facts = facts;
    this.hasBackground = hooks.some(facts.isBackground);
  }

  deadlineMs(rechecks: boolean): number {
    this.#deadlineMs ??= this.#limitOf(this.sequential);
    return rechecks ? this.#deadlineMs + this.#limitOf(false) : this.#deadlineMs;
  }

  #limitOf(sequential: boolean): number {
    const { limits, isBackground } = this.facts;
    const timeouts = this.hooks.flatMap((hook) => (isBackground(hook) ? [] : [hook.timeout]));
    return computePlanDeadlineMs(timeouts, sequential, limits);
  }

  isBackground(index: number): boolean {
    const hook = this.hooks[index];
    return this.hasBackground && hook !== undefined && this.facts.isBackground(hook);
  }

  narrow(isIn: (hook: HookConfig, index: number) => boolean): Plan {
    return new Plan(this.hooks.filter(isIn), false, this.facts);
  }
}

export interface GuardRecheck<Result> {
  readonly hookIndexes: readonly number[];
  readonly firing: Firing<Result>;
}

/** One event on its way through the engine. Subclasses know the types of the payload and the result. */
export abstract class Firing<Result> {
  readonly eventName: string;
  readonly payload: object;
  readonly options: FireOptions;
  /** True if the event was requested on the bus. Such an event can be cancelled. */
  readonly isRequest: boolean;
  correlationId: string | undefined;
  trace: HookExecutionTrace | undefined;

  constructor(eventName: string, payload: object, options: FireOptions, correlationId: string | undefined) {
    this.eventName = eventName;
    this.payload = payload;
    this.options = options;
    this.isRequest = correlationId !== undefined;
    this.correlationId = correlationId;
  }

  /** The text that matchers are compared with, such as the tool name. Set by `plan()`. */
  abstract readonly subject: string | undefined;
  /** Plans the hooks of the event. Returns `undefined` if no hook runs. */
  abstract plan(): Plan | undefined;
  abstract rows(): readonly HookRow[] | undefined;
  abstract payloadProblem(): string | undefined;
  abstract run(plan: Plan, how: RunOptions): MaybePromise<readonly HookExecutionResult[]>;
  abstract merge(plan: Plan, results: readonly HookExecutionResult[], error: HookwrightError | undefined): Result;
  abstract resultWithoutHooks(): Result;
  abstract failedResult(error: HookwrightError): Result;
  /** For each result, the fate of every field that the hook returned. */
  abstract fates(
    results: readonly HookExecutionResult[],
    hookIds: readonly string[],
    isSequence: boolean,
  ): readonly Readonly<Record<string, FieldFate>>[];
  abstract request(correlationId: string): RequestMessage;
  abstract response(correlationId: string, outcome: FiringOutcome<Result>): AnswerMessage;

  isObserved?(): boolean;
  prepareResults?(plan: Plan, results: readonly HookExecutionResult[]): readonly HookExecutionResult[];
  recheck?(plan: Plan, results: readonly HookExecutionResult[]): GuardRecheck<Result> | undefined;
  withinModelText?(results: readonly HookExecutionResult[]): readonly HookExecutionResult[];
  changeNote?(result: Result): string;
  onHookEnded?(result: HookExecutionResult): void;
}

/** The differences between agent events and ability events, which one engine handles. */
export interface EventKind {
  readonly exchange: Exchange;
  readonly names: readonly string[];
  readonly noun: string;
  isEvent(name: unknown): boolean;
  /** True if a cheap check shows that a request is valid. Its schema validation is then skipped. */
  isSurelyValid?(request: RequestMessage): boolean;
  /** Returns `undefined` for an unknown event, and the reason as a text for an invalid payload. */
  readRequest(request: RequestMessage): Firing<object> | string | undefined;
  ready?(eventName: string): Promise<void> | undefined;
  budgetMs?(eventName: string): number | undefined;
  hasHooks?(eventName: string): boolean;
  /** True if callers block a call whose event failed. The `onFault` of its guards is then not applied. */
  readonly refusesUnhandled?: boolean;
  needsEvent?(eventName: string): boolean;
  dispose(): Promise<void>;
}

export const createUnsupportedEventError = (
  { noun, names, exchange }: EventKind,
  eventName: unknown,
): HookwrightError => {
  const name = typeof eventName === 'string' ? eventName : describeValue(eventName);
  const details = { [exchange.eventField]: name, known: names };
  return new HookwrightError('unsupported_event', `"${name}" is not ${noun}${formatSuggestion(name, names)}`, {
    details,
  });
};

export const toWireError = ({ code, message, details }: HookwrightError) => ({ code, message, details });
