import type { HookEventName } from '../../events/index.ts';
import { describeThrown } from '../../kit/index.ts';
import type { HookExecutionResult, HookExecutionTrace, HookMessage, HookRow, Logger } from '../../protocol/index.ts';

export interface HookNotice<Name extends string = HookEventName> {
  readonly eventName: Name;
  readonly hookId: string;
  readonly hookName: string;
  /** Counted from 1 among the hooks that run. */
  readonly position: number;
  readonly total: number;
}

export interface HookCall<Name extends string = HookEventName> extends HookNotice<Name> {
  /** `command`, `http`, `runtime` or a type that the host added. */
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

/** TypeScript checks method parameters bivariantly, so that callbacks with narrower event names are accepted. */
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

/** Logs and ignores exceptions and rejections of a host's callback. */
export const callSafely = <T>(logger: Logger | undefined, what: string, call: () => T): T | undefined => {
  const ignore = (error: unknown): undefined => {
    logger?.warn?.(`${what} threw and was ignored: ${describeThrown(error)}`);
  };
  try {
    const called = call();
    if (called instanceof Promise) called.catch(ignore);
    return called;
  } catch (error) {
    return ignore(error);
  }
};
