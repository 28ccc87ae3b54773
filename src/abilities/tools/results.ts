import type { AbilityRef, GuardOutcome, PreflightOutcome } from '../../events/index.ts';
import { AbilityCode, type AbilityEventResult, type AbilityHookRun, type HookSignal } from '../../protocol/index.ts';
import type { Execution } from './execution.ts';
import type { TaskRefusal } from './store/task-store.ts';

/** What the checks before a task came to, as the one who asked is told. */
export interface PreflightResult {
  readonly outcome: PreflightOutcome['outcome'];
  readonly code: AbilityCode;
  readonly ability_ref: AbilityRef;
  readonly reason?: string;
  readonly suggestion?: unknown;
}

interface WithHooks {
  /** What hooks want to be known, warnings among it. */
  readonly hook_signals: readonly HookSignal[];
  /** How each hook ended. For the host: an AI sees signals only. */
  readonly hooks: readonly AbilityHookRun[];
  /** What a person answered, where a hook required one and there was one to ask. */
  readonly confirmed?: boolean;
  /** Set when no signal decided but a hook that must not fail and did. For the host as well. */
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
  /** What went wrong beside the ability itself; its outcome stands. */
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

/** What an event leaves behind in a result. */
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

export const notExecuted = (
  names: CallNames,
  { code, message }: { readonly code: RunRefusalCode; readonly message: string },
  withHooks: WithHooks = noHooks,
): NotExecuted => ({ executed: false, code, reason: message, ...names, ...withHooks });

/** Nothing for a call that may go on. */
export const guardRefusal = ({
  outcome,
  reason = 'No reason provided',
}: GuardOutcome): { code: RunRefusalCode; message: string } | undefined =>
  outcome === 'allowed' ? undefined : { code: guardCodes[outcome], message: reason };
