import { HookwrightError } from '../errors.ts';
import { describeValue, suggestion } from '../kit/index.ts';
import {
  type AnswerMessage,
  type Exchange,
  type FieldFate,
  type HookConfig,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookRow,
  planDeadlineMs,
  type RequestMessage,
} from '../protocol/index.ts';
import type { RunnerLimits, RunOptions } from '../runners/index.ts';

export interface FireOptions {
  /** The deadline of the event, waiting for a slot included. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A merged result, how each hook ended in configured order, and what kept the event from being handled to its end. */
export interface FiringOutcome<Result> {
  readonly result: Result;
  readonly results: readonly HookExecutionResult[];
  readonly error?: HookwrightError;
  /** Under which id a direct call was shown on the bus. */
  readonly correlationId?: string;
}

/** A value that is there at once if no hook waits. */
export type MaybePromise<T> = T | Promise<T>;

export const thenMaybe = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** What the engine must know about the hooks of an event; agent events and ability events supply their own. */
export interface PlanFacts {
  readonly limits: RunnerLimits;
  /** Whether a fault of this hook changes the verdict. */
  readonly isGuard: (hook: HookConfig) => boolean;
  /** Whether the event does not wait for this hook. */
  readonly isBackground: (hook: HookConfig) => boolean;
  /** Whether a guard of the plan may have to check the call again after other hooks changed it. */
  readonly mayRecheck?: boolean;
  /** Whether some answers are merged by the rules of another agent. */
  readonly isMergedByAgents?: boolean;
}

/** The hooks of an event in configured order, and what follows from them whatever its payload says. Kept for the next event. */
export class Plan {
  readonly hooks: readonly HookConfig[];
  readonly sequential: boolean;
  readonly facts: PlanFacts;
  readonly hasBackground: boolean;
  #deadlineMs: number | undefined;
  #secondRoundMs: number | undefined;

  constructor(hooks: readonly HookConfig[], sequential: boolean, facts: PlanFacts) {
    this.hooks = hooks;
    this.sequential = sequential;
    this.facts = facts;
    this.hasBackground = hooks.some(facts.isBackground);
  }

  /** The time limit of all hooks together, with a second round of guards or without. */
  deadlineMs(rechecks: boolean): number {
    this.#deadlineMs ??= this.#limitOf(this.sequential);
    if (!rechecks) return this.#deadlineMs;
    this.#secondRoundMs ??= this.#limitOf(false);
    return this.#deadlineMs + this.#secondRoundMs;
  }

  #limitOf(sequential: boolean): number {
    const { limits, isBackground } = this.facts;
    const timeouts = this.hooks.flatMap((hook) => (isBackground(hook) ? [] : [hook.timeout]));
    return planDeadlineMs(timeouts, sequential, limits);
  }

  isBackground(index: number): boolean {
    const hook = this.hooks[index];
    return this.hasBackground && hook !== undefined && this.facts.isBackground(hook);
  }

  /** A plan with only these hooks, all run in parallel. */
  narrow(isIn: (hook: HookConfig, index: number) => boolean): Plan {
    return new Plan(this.hooks.filter(isIn), false, this.facts);
  }

  /** A plan with only the guards. */
  guards(): Plan {
    return this.narrow(this.facts.isGuard);
  }
}

/** Hooks that are to be run once more, by their indexes, and with what. */
export interface SecondRound<Result> {
  readonly hookIndexes: readonly number[];
  readonly firing: Firing<Result>;
}

/** One event on its way through the engine. Subclasses know the payload and the result, so the engine need not. */
export abstract class Firing<Result> {
  readonly eventName: string;
  readonly payload: object;
  readonly options: FireOptions;
  /**
   * Whether the event was requested over the bus. Then it can be cancelled, and its hooks start after `publish` has
   * returned.
   */
  readonly isRequest: boolean;
  /** The id of the event on the bus; `undefined` if it is not reported there. */
  correlationId: string | undefined;
  /** The trace of its hooks; kept until it is answered, if decisions are watched. */
  trace: HookExecutionTrace | undefined;

  constructor(eventName: string, payload: object, options: FireOptions, correlationId: string | undefined) {
    this.eventName = eventName;
    this.payload = payload;
    this.options = options;
    this.isRequest = correlationId !== undefined;
    this.correlationId = correlationId;
  }

  /** The text that matchers are compared with; known once it is planned. */
  abstract readonly subject: string | undefined;
  /** `undefined` if no hook runs. */
  abstract plan(): Plan | undefined;
  /** A row for each configured hook of the event, if the planner gives them. */
  abstract rows(): readonly HookRow[] | undefined;
  /** The mistake in its payload, if there is one. */
  abstract problem(): string | undefined;
  abstract run(plan: Plan, how: RunOptions): MaybePromise<readonly HookExecutionResult[]>;
  abstract merge(plan: Plan, results: readonly HookExecutionResult[], error: HookwrightError | undefined): Result;
  /** The result if no hook runs. */
  abstract nothing(): Result;
  /** The result if the event could not be handled. */
  abstract broken(error: HookwrightError): Result;
  /** The fate of every field that hooks returned, in the order of the results. */
  abstract fates(
    results: readonly HookExecutionResult[],
    hookIds: readonly string[],
    isSequence: boolean,
  ): readonly Readonly<Record<string, FieldFate>>[];
  /** The request by which a direct call is shown on the bus, and the response to any request. */
  abstract request(correlationId: string): RequestMessage;
  abstract response(correlationId: string, outcome: FiringOutcome<Result>): AnswerMessage;

  /** Whether hooks run to be looked at only: nothing they answer has an effect. */
  isObserved(): boolean {
    return false;
  }

  /** Prepares results for merging, such as marking contradictions. Unchanged by default. */
  settled(_plan: Plan, results: readonly HookExecutionResult[]): readonly HookExecutionResult[] {
    return results;
  }

  /** Guards that saw something else than what the answers together have made of it. */
  secondRound(_plan: Plan, _results: readonly HookExecutionResult[]): SecondRound<Result> | undefined {
    return undefined;
  }

  /** Results with no more text for the model than the limit. */
  withinModelText(results: readonly HookExecutionResult[]): readonly HookExecutionResult[] {
    return results;
  }

  /** A word for the log about changes by hooks: ` (modified request)`. */
  changed(_result: Result): string {
    return '';
  }

  /** Called for each hook that has ended, those in the background included. */
  hookEnded?(result: HookExecutionResult): void;
}

/** A family of events: those of agents or those of abilities. The engine handles both through this interface. */
export interface EventFamily {
  /** The types of the messages that request events of this family and answer them. */
  readonly exchange: Exchange;
  /** Names of all events of the family. `noun` is the word for one of them in messages to a person. */
  readonly names: readonly string[];
  readonly noun: string;
  isEvent(name: unknown): boolean;
  /** Whether a request has the plain form of nearly all requests, so that it need not be parsed. */
  isPlain?(request: RequestMessage): boolean;
  /**
   * The requested event; `undefined` if the family has no such event, or a text that says why the payload is invalid.
   */
  firingOf(request: RequestMessage): Firing<object> | string | undefined;
  /** Loads the hooks before the first plan; `undefined` if they are loaded. */
  ready(eventName: string): Promise<void> | undefined;
  /** The budget of all hooks of an event together, if one was set. */
  budgetMs?(eventName: string): number | undefined;
  /** Whether hooks are configured for an event, even if none of them would run. */
  hasHooks?(eventName: string): boolean;
  /** Whether callers refuse the call if its event could not be handled, so that guards need not. */
  readonly refusesUnhandled?: boolean;
  /** Whether an event has an effect although no hook runs for it. */
  isAwaited?(eventName: string): boolean;
  /** Ends all hooks; resolves when their processes are gone. */
  dispose(): Promise<void>;
}

/** The error for an event that the family does not have. */
export const unsupportedEvent = ({ noun, names, exchange }: EventFamily, eventName: unknown): HookwrightError => {
  const name = typeof eventName === 'string' ? eventName : describeValue(eventName);
  const details = { [exchange.eventField]: name, known: names };
  return new HookwrightError('unsupported_event', `"${name}" is not ${noun}${suggestion(name, names)}`, { details });
};

/** An error as it crosses the bus. */
export const wireError = ({ code, message, details }: HookwrightError) => ({ code, message, details });
