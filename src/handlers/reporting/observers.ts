// The types of a host's observers (callbacks and listeners on the bus), and the check whether any exist.
import type { Bus } from '../../bus/index.ts';
import type { HookEventName } from '../../events/index.ts';
import { describeThrown } from '../../kit/index.ts';
import {
  callSafely,
  type Exchange,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  type Logger,
  MessageBusType,
} from '../../protocol/index.ts';

export interface HookNotice<Name extends string = HookEventName> {
  readonly eventName: Name;
  readonly hookId: string;
  readonly hookName: string;
  /** Position of the hook among the hooks that run, from 1. */
  readonly position: number;
  readonly total: number;
}

export interface HookCall<Name extends string = HookEventName> extends HookNotice<Name> {
  /** Type of the hook: `command`, `http`, `runtime` or one that the host added. */
  readonly hookType: string;
  readonly durationMs: number;
  /** False if the hook failed. A hook that blocks has not failed. */
  readonly success: boolean;
  readonly outcome: NonNullable<HookRow['outcome']>;
  readonly code?: HookExecutionResult['code'];
  readonly exitCode?: number | undefined;
  readonly error?: string;
}

/** Callbacks for hosts that do not listen on a bus. Exceptions in them are logged and ignored. */
export interface HookEvents<Name extends string = HookEventName> {
  readonly onHookStart?: ((notice: HookNotice<Name>) => void) | undefined;
  readonly onHookEnd?: ((call: HookCall<Name>) => void) | undefined;
  readonly onSystemMessage?: ((notice: HookNotice<Name> & { readonly message: string }) => void) | undefined;
  /** Warns the user of failed hooks, once per model request. */
  readonly onFeedback?: ((feedback: { readonly severity: 'warning'; readonly message: string }) => void) | undefined;
}

/** A method type, whose parameters TypeScript checks bivariantly, so callbacks for fewer events are accepted too. */
type Callback<Value> = { call(value: Value): void }['call'];
type CallbackOf<Given> = Given extends ((value: infer Value) => void) | undefined ? Callback<Value> | undefined : never;

export interface EngineObservers {
  readonly events?: { readonly [Name in keyof HookEvents]: CallbackOf<HookEvents<string>[Name]> } | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: CallbackOf<Telemetry<string>>;
}

/**
 * Receives request, trace and response of an event that has configured hooks. The trace of a background hook follows
 * when that hook has ended.
 */
export type OnDecision = (messages: readonly HookMessage[]) => void;

export type OnTrace = (trace: HookExecutionTrace) => void;
export type Telemetry<Name extends string = HookEventName> = (call: HookCall<Name>) => void;

export interface ReportDeps extends EngineObservers {
  readonly bus: Bus | undefined;
  readonly listeners: () => ListenerFlags;
  readonly logger: Logger | undefined;
  readonly timestamp: () => string;
  readonly newId: () => string;
  readonly budgetMs: (eventName: string) => number | undefined;
  onDecision?: OnDecision;
}

interface ListenerFlags {
  /** True if direct calls are published for listeners. */
  readonly calls: boolean;
  readonly traces: boolean;
  readonly hooks: boolean;
}

/** Every event checks which listeners exist, so the result is cached until the bus changes. */
export const createListenerCheck = (
  bus: Bus | undefined,
  { request, answer }: Exchange,
  { events, onTrace, telemetry }: EngineObservers,
  logger: Logger | undefined,
): (() => ListenerFlags) => {
  const hookMessages = [MessageBusType.HOOK_STARTED, MessageBusType.HOOK_FINISHED, MessageBusType.HOOK_SYSTEM_MESSAGE];
  const findListeners = (isWatched: (type: MessageBusType) => boolean): ListenerFlags => {
    const traces = onTrace !== undefined || isWatched(MessageBusType.HOOK_EXECUTION_TRACE);
    const hooks = traces || (events ?? telemetry) !== undefined || hookMessages.some(isWatched);
    return { calls: isWatched(request) || isWatched(answer), traces, hooks };
  };
  const withoutBus = findListeners(() => false);
  if (bus === undefined) return () => withoutBus;
  let found = withoutBus;
  let foundAt: number | undefined;
  return () => {
    try {
      const { version } = bus;
      if (version !== undefined && version === foundAt) return found;
      found = findListeners((type) => bus.isWatched(type));
      foundAt = version;
      return found;
    } catch (error) {
      logger?.warn?.(`isWatched or version of the bus threw and was ignored: ${describeThrown(error)}`);
      return withoutBus;
    }
  };
};

export const reportDecision = ({ logger, onDecision }: ReportDeps, messages: () => readonly HookMessage[]): void =>
  callSafely(logger, 'onDecision', () => onDecision?.(messages()));
