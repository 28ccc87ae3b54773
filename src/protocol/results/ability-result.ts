import * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';

/** What a signal speaks about. Each kind belongs to one event. */
export const signalKinds = ['routing_hint', 'normalized_intent', 'ability_preflight', 'ability_guard'] as const;
export type SignalKind = (typeof signalKinds)[number];

export const signalSeverities = ['info', 'warning', 'error'] as const;
export type SignalSeverity = (typeof signalSeverities)[number];

/** What a signal says about an ability. */
export const AbilityCode = {
  Available: 'ABILITY_AVAILABLE',
  Unavailable: 'ABILITY_UNAVAILABLE',
  Allowed: 'ABILITY_ALLOWED',
  Denied: 'ABILITY_DENIED',
  RequiresHuman: 'ABILITY_REQUIRES_HUMAN',
} as const;
export type AbilityCode = (typeof AbilityCode)[keyof typeof AbilityCode];

/** The code of a routing hint. */
export const ROUTE_SUGGESTION = 'ROUTE_SUGGESTION';

/** What an ability hook tells the flow that fired it. `source_event` and `hook_id` are ours, whatever the hook said. */
export interface HookSignal {
  readonly source_event: string;
  readonly hook_id: string;
  readonly kind: SignalKind;
  readonly code: string;
  readonly severity?: SignalSeverity;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A line of a hook's own log: text, or fields. */
export type HookLog = string | Readonly<Record<string, unknown>>;

/** Why a hook could not do what it is for, in its own words. */
export interface HookReportedError {
  readonly code: string;
  readonly message: string;
}

/** What an ability hook answers on standard output. Every field is optional; an empty answer means "no opinion". */
export type HookResult = {
  readonly logs?: readonly HookLog[];
  readonly usage_recorded?: boolean;
  readonly hook_signals?: readonly HookSignal[];
  readonly error?: HookReportedError;
};

const optionalText = () => z.optional(z.string());

/** What each kind of signal has in its payload, beside whatever else the hook puts there. */
export const payloadSchemas = once((): Readonly<Record<SignalKind, z.ZodMiniType>> => {
  const ability = z.looseObject({ id: z.string(), reason: optionalText(), confidence: z.optional(z.number()) });
  const document = z.looseObject({ path: z.string(), reason: optionalText() });
  return {
    routing_hint: z.looseObject({
      suggested_abilities: z.optional(z.array(ability)),
      suggested_documents: z.optional(z.array(document)),
    }),
    normalized_intent: z.looseObject({ scope: optionalText(), topic: optionalText(), stage: optionalText() }),
    ability_preflight: z.looseObject({
      ability_ref: z.optional(z.looseObject({ kind: z.string(), value: z.string() })),
      reason: optionalText(),
      suggestion: z.optional(z.unknown()),
    }),
    ability_guard: z.looseObject({
      ability_id: optionalText(),
      reason: optionalText(),
      require_human: z.optional(z.boolean()),
    }),
  };
});

export const resultFields = once(() => ({
  logs: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
  usage_recorded: z.boolean(),
  error: z.looseObject({ code: z.string(), message: z.string() }),
}));

/** How one hook of an event ended, as the caller of the event is told. */
export interface AbilityHookRun {
  readonly hook_id: string;
  readonly blocking: boolean;
  /**
   * `background`: not waited for; how it ends stands in the log and on the bus. `skipped`: not started, because a person goes
   * on without it.
   */
  readonly outcome: 'answered' | 'silent' | 'faulted' | 'background' | 'skipped';
  /** The fault, where the outcome is `faulted`; why it could not be asked, where it is `skipped`. */
  readonly code?: string;
  readonly message?: string;
  readonly duration_ms?: number;
}

/** Why an event failed. `hook_id` is there when a hook did whose declaration says that it must not (`on_fault: fail`). */
export interface AbilityEventError {
  readonly code: string;
  readonly message: string;
  readonly hook_id?: string;
}

/** The results of all hooks of one event, merged in configured order. */
export interface AbilityEventResult {
  readonly event_type: string;
  /** False when the event failed: a hook that must not fail did, or the event could not be handled. */
  readonly success: boolean;
  /** Why it failed. */
  readonly error?: AbilityEventError;
  readonly logs: readonly HookLog[];
  readonly usage_recorded: boolean;
  readonly hook_signals: readonly HookSignal[];
  /** One entry for each hook that was started or that a person goes on without. */
  readonly hooks: readonly AbilityHookRun[];
}

/** The result of an event for which nothing ran: a fresh one each time, since callers own what they get. */
export const emptyAbilityResult = (eventType: string): AbilityEventResult => ({
  event_type: eventType,
  success: true,
  logs: [],
  usage_recorded: false,
  hook_signals: [],
  hooks: [],
});

/** The result of an event that could not be handled. */
export const failedAbilityResult = (eventType: string, { code, message }: AbilityEventError): AbilityEventResult => ({
  ...emptyAbilityResult(eventType),
  success: false,
  error: { code, message },
});

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isLog = (value: unknown): value is HookLog => typeof value === 'string' || isRecord(value);

const isSignal = (value: unknown): value is HookSignal =>
  isRecord(value) && typeof value.kind === 'string' && typeof value.code === 'string' && isRecord(value.payload);

/** The answer of an ability hook, from where outputs of all kinds of hooks are kept. */
export const answerIn = (output: Readonly<Record<string, unknown>> | undefined): HookResult => {
  if (output === undefined) return {};
  const { logs, usage_recorded, hook_signals } = output;
  return {
    ...(isList(logs) ? { logs: logs.filter(isLog) } : {}),
    ...(typeof usage_recorded === 'boolean' ? { usage_recorded } : {}),
    ...(isList(hook_signals) ? { hook_signals: hook_signals.filter(isSignal) } : {}),
  };
};
