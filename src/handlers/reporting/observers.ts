import type { HookEventName } from '../../events/index.ts';
import { describeThrown } from '../../kit/index.ts';
import type { HookExecutionResult, HookExecutionTrace, HookMessage, HookRow, Logger } from '../../protocol/index.ts';

/** Identifies a hook in the reports to observers. */
export interface HookNotice<Name extends string = HookEventName> {
  readonly eventName: Name;
  readonly hookId: string;
  readonly hookName: string;
  /** From 1, among the hooks that run. */
  readonly position: number;
  readonly total: number;
}

/** One hook has ended: what telemetry counts. */
export interface HookCall<Name extends string = HookEventName> extends HookNotice<Name> {
  /** How it is run: `command`, `runtime`, … */
  readonly hookType: string;
  readonly durationMs: number;
  /** False if the hook failed. A block on purpose is no failure, in whatever form. */
  readonly success: boolean;
  readonly outcome: NonNullable<HookRow['outcome']>;
  readonly code?: HookExecutionResult['code'];
  readonly exitCode?: number | undefined;
  /** The failure in words, if there is a code. */
  readonly error?: string;
}

/** Callbacks of a host that does not want to listen on a bus. None of them can disturb a run. */
export interface HookEvents<Name extends string = HookEventName> {
  readonly onHookStart?: ((notice: HookNotice<Name>) => void) | undefined;
  readonly onHookEnd?: ((call: HookCall<Name>) => void) | undefined;
  readonly onSystemMessage?: ((notice: HookNotice<Name> & { readonly message: string }) => void) | undefined;
  /** A warning for the user that hooks failed, once per model request. */
  readonly onFeedback?: ((feedback: { readonly severity: 'warning'; readonly message: string }) => void) | undefined;
}

/** A callback as a method has it: those of each family are among them. */
type Callback<Value> = { call(value: Value): void }['call'];
type CallbackOf<Given> = Given extends ((value: infer Value) => void) | undefined ? Callback<Value> | undefined : never;

/** The same for the engine, which knows no family. */
export interface EngineObservers {
  readonly events?: { readonly [Name in keyof HookEvents]: CallbackOf<HookEvents<string>[Name]> } | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: CallbackOf<Telemetry<string>>;
}

/**
 * The messages of an event for which hooks are configured, once it is answered: request, trace and response; and the trace of a
 * hook in the background when that has ended. It is no listener of the bus, which could answer a confirmation.
 */
export type OnDecision = (messages: readonly HookMessage[]) => void;

export type OnTrace = (trace: HookExecutionTrace) => void;
export type Telemetry<Name extends string = HookEventName> = (call: HookCall<Name>) => void;

/** Calls a callback of the host: what it throws or rejects with is logged and ignored. `undefined` if it threw. */
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
