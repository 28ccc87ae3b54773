// Results of creating and running tasks.
import type { AbilityRef, GuardOutcome, PreflightOutcome } from '../../events/index.ts';
import { omitUndefined } from '../../kit/index.ts';
import { AbilityCode, type AbilityEventResult, type AbilityHookRun, type HookSignal } from '../../protocol/index.ts';
import type { Execution } from './execution.ts';
import type { TaskRefusal } from './store/task-store.ts';

export interface PreflightResult {
  readonly outcome: PreflightOutcome['outcome'];
  readonly code: AbilityCode;
  readonly ability_ref: AbilityRef;
  readonly reason?: string;
  readonly suggestion?: unknown;
}

interface HookMembers {
  readonly hook_signals: readonly HookSignal[];
  /** The outcome of each hook. For the host: an AI gets signals only. */
  readonly hooks: readonly AbilityHookRun[];
  /** The user's answer, if a hook required a confirmation and the user could be asked. */
  readonly confirmed?: boolean;
  /** The failed hook that caused the refusal, if no signal did. For the host: an AI does not get it. */
  readonly hook_error?: NonNullable<AbilityEventResult['error']>;
}

export type CreateTaskResult = HookMembers &
  (
    | {
        readonly created: true;
        readonly task_key: string;
        readonly ability_id: string;
        readonly preflight: PreflightResult;
      }
    | { readonly created: false; readonly preflight: PreflightResult }
  );

export type RunRefusalCode =
  | Exclude<AbilityCode, 'ABILITY_AVAILABLE' | 'ABILITY_ALLOWED'>
  | TaskRefusal['code']
  | 'cancelled';

export interface Executed extends HookMembers, Execution {
  readonly executed: true;
  readonly ability_id: string;
  readonly task_key?: string;
  readonly duration_ms: number;
  /** Problems that are not the ability's own failure, such as an outcome that cannot be stored. */
  readonly warnings?: readonly string[];
}

export interface NotExecuted extends HookMembers {
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

export const createPreflightResult = (
  ability_ref: AbilityRef,
  { outcome, reason, suggestion }: PreflightOutcome,
): PreflightResult => omitUndefined({ outcome, code: preflightCodes[outcome], ability_ref, reason, suggestion });

const guardCodes: Readonly<Record<Exclude<GuardOutcome['outcome'], 'allowed'>, RunRefusalCode>> = {
  denied: AbilityCode.Denied,
  requires_human: AbilityCode.RequiresHuman,
};

export const toHookMembers = (
  { hook_signals, hooks, error }: AbilityEventResult,
  { outcome, signal }: PreflightOutcome | GuardOutcome,
  confirmed?: boolean,
): HookMembers => {
  const isRefusal = outcome === 'unavailable' || outcome === 'denied';
  const hook_error = isRefusal && signal === undefined ? error : undefined;
  return omitUndefined({ hook_signals, hooks, confirmed, hook_error });
};

export const createNotExecuted = (
  names: Pick<NotExecuted, 'ability_id' | 'task_key'>,
  { code, message }: { readonly code: RunRefusalCode; readonly message: string },
  withHooks: HookMembers = { hook_signals: [], hooks: [] },
): NotExecuted => ({ executed: false, code, reason: message, ...names, ...withHooks });

export const findGuardRefusal = ({
  outcome,
  reason = 'No reason provided',
}: GuardOutcome): { code: RunRefusalCode; message: string } | undefined =>
  outcome === 'allowed' ? undefined : { code: guardCodes[outcome], message: reason };
