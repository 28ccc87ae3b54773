// Interprets the merged result of ability hooks: may the task be created, may the ability run?
import { AbilityCode, type AbilityEventResult, type HookSignal } from '../../protocol/index.ts';

/** The decision of the hooks of PreAbilityCreate: whether a task may be created. */
export interface PreflightOutcome {
  readonly outcome: 'available' | 'unavailable' | 'requires_human';
  /** Present if the task is refused, or if a human must decide. */
  readonly reason?: string;
  readonly suggestion?: unknown;
  readonly signal?: HookSignal;
}

/** The decision of the hooks of PreAbilityCall: whether the ability may run. */
export interface GuardOutcome {
  readonly outcome: 'allowed' | 'denied' | 'requires_human';
  readonly reason?: string;
  readonly signal?: HookSignal;
}

const NO_REASON = 'No reason provided';

type RefusalKind = 'refused' | 'requires_human';

const readRefusal = ({ kind, code, payload }: HookSignal): RefusalKind | undefined => {
  if (kind !== 'ability_preflight' && kind !== 'ability_guard') return undefined;
  if (code === AbilityCode.RequiresHuman) return 'requires_human';
  if (code === AbilityCode.Denied) return payload.require_human === true ? 'requires_human' : 'refused';
  return code === AbilityCode.Unavailable ? 'refused' : undefined;
};

const readNonBlankText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

interface FoundRefusal {
  readonly refusal: RefusalKind;
  readonly reason: string;
  readonly signal?: HookSignal;
}

/** The strictest signal counts. A failed hook with `on_fault: fail` refuses too, and other failed hooks do not. */
const findStrictestRefusal = ({ error, hook_signals }: AbilityEventResult): FoundRefusal | undefined => {
  let found: FoundRefusal | undefined;
  for (const signal of hook_signals) {
    const refusal = readRefusal(signal);
    if (refusal === undefined || found?.refusal === 'refused' || found?.refusal === refusal) continue;
    found = { refusal, reason: readNonBlankText(signal.payload.reason) ?? NO_REASON, signal };
  }
  if (error?.hook_id === undefined || found?.refusal === 'refused') return found;
  return { refusal: 'refused', reason: error.message };
};

/** A task may be created unless a hook refuses or requires a human. */
export const interpretPreflight = (result: AbilityEventResult): PreflightOutcome => {
  const found = findStrictestRefusal(result);
  if (found === undefined) return { outcome: 'available' };
  const { refusal, reason, signal } = found;
  const outcome = refusal === 'refused' ? 'unavailable' : refusal;
  if (signal === undefined) return { outcome, reason };
  const { suggestion } = signal.payload;
  return suggestion === undefined ? { outcome, reason, signal } : { outcome, reason, suggestion, signal };
};

export const interpretGuard = (result: AbilityEventResult): GuardOutcome => {
  const found = findStrictestRefusal(result);
  if (found === undefined) return { outcome: 'allowed' };
  const { refusal, reason, signal } = found;
  const outcome = refusal === 'refused' ? 'denied' : refusal;
  return signal === undefined ? { outcome, reason } : { outcome, reason, signal };
};

/** Describes a result. `strictness` is 0 if the action is allowed, 1 if a human must decide, and 2 if it is refused. */
export const describeDecision = (
  result: AbilityEventResult,
): { readonly text: string; readonly strictness: 0 | 1 | 2 } => {
  const found = findStrictestRefusal(result);
  if (found !== undefined) {
    const isRefused = found.refusal === 'refused';
    return { text: `${isRefused ? 'refused' : 'requires a human'}: ${found.reason}`, strictness: isRefused ? 2 : 1 };
  }
  const signals = result.hook_signals.map(
    ({ hook_id, code, payload }) => `${hook_id} ${code} ${JSON.stringify(payload)}`,
  );
  return { text: signals.length === 0 ? 'goes on' : `goes on, with ${signals.join(', ')}`, strictness: 0 };
};
