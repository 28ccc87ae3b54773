// Results of creating and running tasks.
import type { AbilityRef, GuardOutcome, PreflightOutcome } from '../../events/index.ts';
import { AbilityCode, type AbilityEventResult, type AbilityHookRun, type HookSignal } from '../../protocol/index.ts';
import type { Execution } from './execution.ts';
import type { TaskRefusal } from './store/task-store.ts';

/** The outcome of the checks before a task. */
export interface PreflightResult {
  readonly outcome: PreflightOutcome['outcome'];
  readonly code: AbilityCode;
  readonly ability_ref: AbilityRef;
  readonly reason?: string;
  readonly suggestion?: unknown;
}

interface WithHooks {
  /** Signals of the hooks, including warnings. */
  readonly hook_signals: readonly HookSignal[];
  /** The outcome of each hook. For the host: an AI gets signals only. */
  readonly hooks: readonly AbilityHookRun[];
  /** The user's answer, if a hook required a confirmation and the user could be asked. */
  readonly confirmed?: boolean;
  /** The failed hook that caused the refusal, if no signal did. For the host only; the AI does not see it. */
  readonly hook_error?: NonNullable<AbilityEventResult['error']>;
}

export type CreateTaskResult = WithHooks &
  (
    | {
        readonly created: true;
        readonly task_key: string;
        readonly ability_id: string;
        readonly preflight: PreflightResult;
      }
    | { readonly created: false; readonly preflight: PreflightResult }
  );

/** Why an ability was not executed. */
export type RunRefusalCode =
  | Exclude<AbilityCode, 'ABILITY_AVAILABLE' | 'ABILITY_ALLOWED'>
  | TaskRefusal['code']
  | 'cancelled';

export interface Executed extends WithHooks, Execution {
  readonly executed: true;
  readonly ability_id: string;
  readonly task_key?: string;
  readonly duration_ms: number;
  /** Problems that are not the ability's own failure, for example when the outcome of a task cannot be stored. */
  readonly warnings?: readonly string[];
}

export interface NotExecuted extends WithHooks {
  readonly executed: false;
  readonly code: RunRefusalCode;
  readonly reason: string;
  readonly ability_id?: string;
  readonly task_key?: string;
}

export type RunAbilityResult = Executed | NotExecuted;

const preflightCodes: Readonly<Record<PreflightOutcome['outcome'], AbilityCode>> = {
  available: AbilityCode.Available,
  unavailable: AbilityCode.Unavailable,
  requires_human: AbilityCode.RequiresHuman,
};

export const preflightResult = (
  ability_ref: AbilityRef,
  { outcome, reason, suggestion }: PreflightOutcome,
): PreflightResult => ({
  outcome,
  code: preflightCodes[outcome],
  ability_ref,
  ...(reason === undefined ? {} : { reason }),
  ...(suggestion === undefined ? {} : { suggestion }),
});

const guardCodes: Readonly<Record<Exclude<GuardOutcome['outcome'], 'allowed'>, RunRefusalCode>> = {
  denied: AbilityCode.Denied,
  requires_human: AbilityCode.RequiresHuman,
};

export interface CallNames {
  readonly ability_id?: string;
  readonly task_key?: string;
}

/** The members of a result that describe the hooks. */
export const hooksOf = (
  { hook_signals, hooks, error }: AbilityEventResult,
  { outcome, signal }: PreflightOutcome | GuardOutcome,
  confirmed?: boolean,
): WithHooks => {
  const isRefusal = outcome === 'unavailable' || outcome === 'denied';
  return {
    hook_signals,
    hooks,
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(isRefusal && signal === undefined && error !== undefined ? { hook_error: error } : {}),
  };
};

const noHooks: WithHooks = { hook_signals: [], hooks: [] };

export const notExecutedResult = (
  names: CallNames,
  { code, message }: { readonly code: RunRefusalCode; readonly message: string },
  withHooks: WithHooks = noHooks,
): NotExecuted => ({ executed: false, code, reason: message, ...names, ...withHooks });

/** `undefined` if the call may run. */
export const guardRefusal = ({
  outcome,
  reason = 'No reason provided',
}: GuardOutcome): { code: RunRefusalCode; message: string } | undefined =>
  outcome === 'allowed' ? undefined : { code: guardCodes[outcome], message: reason };
