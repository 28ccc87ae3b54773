import type { HookwrightError } from '../errors.ts';
import type {
  AnswerMessage,
  Exchange,
  HookConfig,
  HookExecutionResult,
  HookRow,
  MessageOf,
  RequestMessage,
  RequestType,
} from '../protocol/index.ts';
import type { RunnerLimits } from '../runners/index.ts';
import type { FatesOf } from './reporting/trace.ts';

export interface FireOptions {
  /** The deadline of the event, waiting for a place included. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What will run, and what is known about it beforehand. Made once, and handed on. */
export interface Plan {
  /** In configured order. */
  readonly hooks: readonly HookConfig[];
  readonly sequential: boolean;
  /** What matchers were compared with. */
  readonly subject: string | undefined;
  /** A row for each configured hook of the event; asked for only where somebody listens. */
  readonly rows: () => readonly HookRow[] | undefined;
  /** Whether nobody waits for the hook of this place. */
  readonly isBackground?: ((index: number) => boolean) | undefined;
}

/** A family, as types: the message that asks, and what each event takes and gives. */
export interface FamilyTypes {
  readonly request: RequestType;
  readonly events: Readonly<Record<string, { readonly payload: object; readonly result: object }>>;
  readonly options: FireOptions;
  readonly plan: Plan;
}

export type EventOf<F extends FamilyTypes> = keyof F['events'] & string;
export type PayloadIn<F extends FamilyTypes, E extends EventOf<F>> = F['events'][E]['payload'];
export type ResultOf<F extends FamilyTypes, E extends EventOf<F>> = F['events'][E]['result'];
export type RequestOf<F extends FamilyTypes> = MessageOf<F['request']>;

/** Says of a plan whether it needs a stage. */
type Needed<F extends FamilyTypes> = (eventName: EventOf<F>, plan: F['plan']) => boolean;

/** The stages that only some plans need. The others have a row without them. */
export interface Needs<F extends FamilyTypes> {
  /** Hooks are run to be looked at only: nothing they say has an effect. */
  readonly observe: Needed<F>;
  /** A guard among the hooks may have to be asked twice. */
  readonly recheck: Needed<F>;
  /** Parallel hooks that contradict each other deny. */
  readonly conflicts: Needed<F>;
  /** Hooks of other agents are judged as there. */
  readonly dialects: Needed<F>;
}

/** A merged result, how each hook ended in configured order, and what kept the event from being handled to its end. */
export interface Outcome<Result> {
  readonly result: Result;
  readonly results: readonly HookExecutionResult[];
  readonly error?: HookwrightError;
}

/** Told of each hook that starts and ends, by its place in the plan. */
export interface Watch {
  /** The hook of this place is asked once more; its second run is told under the place that is returned. */
  again(index: number): number;
  started(index: number): void;
  ended(index: number, result: HookExecutionResult): void;
}

/** How a plan is run: who hears of it, what ends it early. */
export interface Run<F extends FamilyTypes> {
  readonly plan: F['plan'];
  readonly options: F['options'];
  readonly watch: Watch;
  /** Absent where the event can neither be cancelled nor timed. */
  readonly signal: AbortSignal | undefined;
}

/** Hooks that have to be asked once more, by their places, and with what. */
export interface SecondRound<Payload> {
  readonly places: readonly number[];
  readonly payload: Payload;
}

export type Read<Payload> =
  | { readonly ok: true; readonly payload: Payload }
  | { readonly ok: false; readonly message: string };

/**
 * Everything that is particular to one family of events. The stages know no family: a third one is a record like this,
 * with a line in the table of messages.
 */
export interface Family<F extends FamilyTypes> {
  /** The messages by which it is asked, and how it refuses. */
  readonly exchange: Exchange<F['request']>;
  /** Its catalogue: which events there are, and what one of them is called in a message to a person. */
  readonly names: readonly string[];
  readonly noun: string;
  readonly isEvent: (name: unknown) => name is EventOf<F>;
  /** Checks what arrived from outside; the message names the field. */
  readonly read: <E extends EventOf<F>>(eventName: E, payload: unknown) => Read<PayloadIn<F, E>>;
  /** Whether a request looks as nearly all do, so that it need not be looked at in detail. */
  readonly isPlain?: ((request: RequestOf<F>) => boolean) | undefined;
  /** What a request asks for beside its event. */
  readonly asked: (request: RequestOf<F>) => { readonly payload: unknown; readonly options: F['options'] };
  /** Loads what must be there before the first plan; nothing when it is. */
  readonly ready: () => Promise<void> | undefined;
  readonly plan: <E extends EventOf<F>>(eventName: E, payload: PayloadIn<F, E>, options: F['options']) => F['plan'];
  readonly run: <E extends EventOf<F>>(
    eventName: E,
    payload: PayloadIn<F, E>,
    run: Run<F>,
  ) => Promise<readonly HookExecutionResult[]>;
  readonly needs?: Needs<F> | undefined;
  /** Which hooks saw something else than what their answers together have made of it. */
  readonly askAgain?:
    | (<E extends EventOf<F>>(
        eventName: E,
        payload: PayloadIn<F, E>,
        plan: F['plan'],
        results: readonly HookExecutionResult[],
      ) => SecondRound<PayloadIn<F, E>> | undefined)
    | undefined;
  /** Marks the hooks that contradict each other. */
  readonly withConflicts?:
    | (<E extends EventOf<F>>(
        eventName: E,
        payload: PayloadIn<F, E>,
        results: readonly HookExecutionResult[],
      ) => readonly HookExecutionResult[])
    | undefined;
  /** What all hooks of an event together may take, where somebody set that. */
  readonly budgetMs?: ((eventName: EventOf<F>) => number | undefined) | undefined;
  /** Cuts what the hooks say to a model together to what may be said. */
  readonly withinModelText?: ((results: readonly HookExecutionResult[]) => readonly HookExecutionResult[]) | undefined;
  /** Whether a hook that was not heard must count all the same. */
  readonly isGuard: (plan: F['plan'], index: number) => boolean;
  /** The same plan with some of its hooks only. */
  readonly narrow: (plan: F['plan'], places: readonly number[]) => F['plan'];
  /** The result where nothing has to run. */
  readonly empty: <E extends EventOf<F>>(eventName: E, plan: F['plan']) => ResultOf<F, E>;
  readonly merge: <E extends EventOf<F>>(
    eventName: E,
    plan: F['plan'],
    results: readonly HookExecutionResult[],
    error: HookwrightError | undefined,
  ) => ResultOf<F, E>;
  /** The result of an event that could not be handled. */
  readonly broken: <E extends EventOf<F>>(eventName: E, error: HookwrightError) => ResultOf<F, E>;
  /** What a direct caller is given of an outcome. */
  readonly told: <E extends EventOf<F>>(outcome: Outcome<ResultOf<F, E>>) => ResultOf<F, E>;
  /** What became of every field the hooks returned. */
  readonly fates: (eventName: EventOf<F>) => FatesOf;
  /** The request by which a direct call is made visible, and the answer to any request. */
  readonly ask: <E extends EventOf<F>>(
    correlationId: string,
    eventName: E,
    payload: PayloadIn<F, E>,
    options: F['options'],
  ) => RequestMessage;
  readonly answer: <E extends EventOf<F>>(
    correlationId: string,
    eventName: E,
    outcome: Outcome<ResultOf<F, E>>,
  ) => AnswerMessage;
  /** What the hooks changed, for the log: ` (modified request)`. */
  readonly changed?: ((result: ResultOf<F, EventOf<F>>) => string) | undefined;
  /** Told of each hook that has ended, those nobody waited for included. */
  readonly onEnd?:
    | ((eventName: EventOf<F>, plan: F['plan'], index: number, result: HookExecutionResult) => void)
    | undefined;
  readonly limits: () => Pick<RunnerLimits, 'concurrency' | 'killGraceMs' | 'drainMs'>;
  /** Ends all hooks; resolves when their processes are gone. */
  readonly dispose: () => Promise<void>;
}
