// The answer of an ability hook, and the merged result of an ability event.
import * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';

/** Kinds of signals. Each belongs to one event. */
export const signalKinds = ['routing_hint', 'normalized_intent', 'ability_preflight', 'ability_guard'] as const;
export type SignalKind = (typeof signalKinds)[number];

export const signalSeverities = ['info', 'warning', 'error'] as const;
export type SignalSeverity = (typeof signalSeverities)[number];

/** Codes of signals about an ability. */
export const AbilityCode = {
  Available: 'ABILITY_AVAILABLE',
  Unavailable: 'ABILITY_UNAVAILABLE',
  Allowed: 'ABILITY_ALLOWED',
  Denied: 'ABILITY_DENIED',
  RequiresHuman: 'ABILITY_REQUIRES_HUMAN',
} as const;
export type AbilityCode = (typeof AbilityCode)[keyof typeof AbilityCode];

/** Code of a routing hint. */
export const ROUTE_SUGGESTION = 'ROUTE_SUGGESTION';

/** A signal of an ability hook to the flow that fired the event. The engine sets `source_event` and `hook_id`. */
export interface HookSignal {
  readonly source_event: string;
  readonly hook_id: string;
  readonly kind: SignalKind;
  readonly code: string;
  readonly severity?: SignalSeverity;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type HookLog = string | Readonly<Record<string, unknown>>;

/** An error that the hook reported itself. */
export interface HookReportedError {
  readonly code: string;
  readonly message: string;
}

/** The answer of an ability hook on stdout. Every field is optional; an empty answer is no opinion. */
export type HookResult = {
  readonly logs?: readonly HookLog[];
  readonly usage_recorded?: boolean;
  readonly hook_signals?: readonly HookSignal[];
  readonly error?: HookReportedError;
};

const optionalText = () => z.optional(z.string());

/** Payload of each kind of signal. Further members are allowed. */
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

/** How one hook of an event ended, for the caller of the event. */
export interface AbilityHookRun {
  readonly hook_id: string;
  readonly blocking: boolean;
  /**
   * `background`: not waited for; its end is logged and published. `skipped`: not started, because the user goes on
   * without it.
   */
  readonly outcome: 'answered' | 'silent' | 'faulted' | 'background' | 'skipped';
  /** Code of the fault, or why the hook was skipped. */
  readonly code?: string;
  readonly message?: string;
  readonly duration_ms?: number;
}

/** Why an event failed. `hook_id` is set if a hook with `on_fault: fail` failed. */
export interface AbilityEventError {
  readonly code: string;
  readonly message: string;
  readonly hook_id?: string;
}

/** The merged results of all hooks of one event, in configured order. */
export interface AbilityEventResult {
  readonly event_type: string;
  /** False if the event failed: a hook with `on_fault: fail` did, or the event could not be handled. */
  readonly success: boolean;
  readonly error?: AbilityEventError;
  readonly logs: readonly HookLog[];
  readonly usage_recorded: boolean;
  readonly hook_signals: readonly HookSignal[];
  /** One entry for each hook that was started or skipped. */
  readonly hooks: readonly AbilityHookRun[];
}

/** The result of an event without hooks. A new object each time, since callers may change it. */
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

/** The answer of an ability hook, from the common field for outputs. */
export const answerIn = (output: Readonly<Record<string, unknown>> | undefined): HookResult => {
  if (output === undefined) return {};
  const { logs, usage_recorded, hook_signals } = output;
  return {
    ...(isList(logs) ? { logs: logs.filter(isLog) } : {}),
    ...(typeof usage_recorded === 'boolean' ? { usage_recorded } : {}),
    ...(isList(hook_signals) ? { hook_signals: hook_signals.filter(isSignal) } : {}),
  };
};
