// The answer of an ability hook, and the merged result of an ability event.
import * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';

/** Each kind of signal is allowed for one event only. */
export const signalKinds = ['routing_hint', 'normalized_intent', 'ability_preflight', 'ability_guard'] as const;
export type SignalKind = (typeof signalKinds)[number];

export const signalSeverities = ['info', 'warning', 'error'] as const;
export type SignalSeverity = (typeof signalSeverities)[number];

export const AbilityCode = {
  Available: 'ABILITY_AVAILABLE',
  Unavailable: 'ABILITY_UNAVAILABLE',
  Allowed: 'ABILITY_ALLOWED',
  Denied: 'ABILITY_DENIED',
  RequiresHuman: 'ABILITY_REQUIRES_HUMAN',
} as const;
export type AbilityCode = (typeof AbilityCode)[keyof typeof AbilityCode];

export const ROUTE_SUGGESTION = 'ROUTE_SUGGESTION';

/**
 * A recommendation or decision of a hook for the program that fired the event. The engine sets `source_event` and
 * `hook_id`.
 */
export interface HookSignal {
  readonly source_event: string;
  readonly hook_id: string;
  readonly kind: SignalKind;
  readonly code: string;
  readonly severity?: SignalSeverity;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type HookLog = string | Readonly<Record<string, unknown>>;

export interface HookReportedError {
  readonly code: string;
  readonly message: string;
}

/** The answer of an ability hook; an empty one has no effect. */
export type HookResult = {
  readonly logs?: readonly HookLog[];
  readonly usage_recorded?: boolean;
  readonly hook_signals?: readonly HookSignal[];
  readonly error?: HookReportedError;
};

const createOptionalText = () => z.optional(z.string());

export const signalPayloadSchemas = once((): Readonly<Record<SignalKind, z.ZodMiniType>> => {
  const ability = z.looseObject({ id: z.string(), reason: createOptionalText(), confidence: z.optional(z.number()) });
  const document = z.looseObject({ path: z.string(), reason: createOptionalText() });
  return {
    routing_hint: z.looseObject({
      suggested_abilities: z.optional(z.array(ability)),
      suggested_documents: z.optional(z.array(document)),
    }),
    normalized_intent: z.looseObject({
      scope: createOptionalText(),
      topic: createOptionalText(),
      stage: createOptionalText(),
    }),
    ability_preflight: z.looseObject({
      ability_ref: z.optional(z.looseObject({ kind: z.string(), value: z.string() })),
      reason: createOptionalText(),
      suggestion: z.optional(z.unknown()),
    }),
    ability_guard: z.looseObject({
      ability_id: createOptionalText(),
      reason: createOptionalText(),
      require_human: z.optional(z.boolean()),
    }),
  };
});

export const resultFields = once(() => ({
  logs: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
  usage_recorded: z.boolean(),
  error: z.looseObject({ code: z.string(), message: z.string() }),
}));

export interface AbilityHookRun {
  readonly hook_id: string;
  readonly blocking: boolean;
  /**
   * `background`: the event did not wait for the hook. `skipped`: the hook cannot run, and the user goes on without it.
   */
  readonly outcome: 'answered' | 'silent' | 'faulted' | 'background' | 'skipped';
  readonly code?: string;
  readonly message?: string;
  readonly duration_ms?: number;
}

/** `hook_id` is set if a hook with `on_fault: fail` made the event fail. */
export interface AbilityEventError {
  readonly code: string;
  readonly message: string;
  readonly hook_id?: string;
}

export interface AbilityEventResult {
  readonly event_type: string;
  /** `false` if the event could not be handled, or a hook with `on_fault: fail` failed. */
  readonly success: boolean;
  readonly error?: AbilityEventError;
  readonly logs: readonly HookLog[];
  readonly usage_recorded: boolean;
  readonly hook_signals: readonly HookSignal[];
  readonly hooks: readonly AbilityHookRun[];
}

export const createEmptyAbilityResult = (eventType: string): AbilityEventResult => ({
  event_type: eventType,
  success: true,
  logs: [],
  usage_recorded: false,
  hook_signals: [],
  hooks: [],
});

export const createFailedAbilityResult = (
  eventType: string,
  { code, message }: AbilityEventError,
): AbilityEventResult => ({
  ...createEmptyAbilityResult(eventType),
  success: false,
  error: { code, message },
});

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isLog = (value: unknown): value is HookLog => typeof value === 'string' || isRecord(value);

const isSignal = (value: unknown): value is HookSignal =>
  isRecord(value) && typeof value.kind === 'string' && typeof value.code === 'string' && isRecord(value.payload);

export const readHookResult = (output: Readonly<Record<string, unknown>> | undefined): HookResult => {
  if (output === undefined) return {};
  const { logs, usage_recorded, hook_signals } = output;
  return {
    ...(isList(logs) ? { logs: logs.filter(isLog) } : {}),
    ...(typeof usage_recorded === 'boolean' ? { usage_recorded } : {}),
    ...(isList(hook_signals) ? { hook_signals: hook_signals.filter(isSignal) } : {}),
  };
};
