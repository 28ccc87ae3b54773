// Interprets the merged result of ability hooks: may the task be created, may the ability run?
import { AbilityCode, type AbilityEventResult, type HookSignal } from '../../protocol/index.ts';

/** The outcome of the preflight hooks of a task. */
export interface PreflightOutcome {
  readonly outcome: 'available' | 'unavailable' | 'requires_human';
  /** Present if it is refused or a human is required. */
  readonly reason?: string;
  readonly suggestion?: unknown;
  /** The signal that decided. */
  readonly signal?: HookSignal;
}

/** The outcome of the guards of a call. */
export interface GuardOutcome {
  readonly outcome: 'allowed' | 'denied' | 'requires_human';
  readonly reason?: string;
  readonly signal?: HookSignal;
}

const NO_REASON = 'No reason provided';

type Refusal = 'refused' | 'requires_human';

/** A denial with `require_human` asks for a human instead. */
const refusalIn = ({ kind, code, payload }: HookSignal): Refusal | undefined => {
  if (kind !== 'ability_preflight' && kind !== 'ability_guard') return undefined;
  if (code === AbilityCode.RequiresHuman) return 'requires_human';
  if (code === AbilityCode.Denied) return payload.require_human === true ? 'requires_human' : 'refused';
  return code === AbilityCode.Unavailable ? 'refused' : undefined;
};

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

interface Refused {
  readonly refusal: Refusal;
  readonly reason: string;
  readonly signal?: HookSignal;
}

/**
 * The strictest signal, the first of several. A failed hook that must not fail refuses as well; other failures are no
 * verdict.
 */
const strictest = ({ error, hook_signals }: AbilityEventResult): Refused | undefined => {
  let found: Refused | undefined;
  for (const signal of hook_signals) {
    const refusal = refusalIn(signal);
    if (refusal === undefined || found?.refusal === 'refused' || found?.refusal === refusal) continue;
    found = { refusal, reason: textIn(signal.payload.reason) ?? NO_REASON, signal };
  }
  if (error?.hook_id === undefined || found?.refusal === 'refused') return found;
  return { refusal: 'refused', reason: error.message };
};

/** Whether a task may be created. Warnings and missing answers allow it. */
export const interpretPreflight = (result: AbilityEventResult): PreflightOutcome => {
  const found = strictest(result);
  if (found === undefined) return { outcome: 'available' };
  const { refusal, reason, signal } = found;
  const outcome = refusal === 'refused' ? 'unavailable' : refusal;
  if (signal === undefined) return { outcome, reason };
  const { suggestion } = signal.payload;
  return suggestion === undefined ? { outcome, reason, signal } : { outcome, reason, suggestion, signal };
};

/** Whether an ability may run now. */
export const interpretGuard = (result: AbilityEventResult): GuardOutcome => {
  const found = strictest(result);
  if (found === undefined) return { outcome: 'allowed' };
  const { refusal, reason, signal } = found;
  const outcome = refusal === 'refused' ? 'denied' : refusal;
  return signal === undefined ? { outcome, reason } : { outcome, reason, signal };
};

/** A result in a few words, and its strictness: 0 allows, 1 requires a human, 2 refuses. */
export const decisionIn = (result: AbilityEventResult): { readonly text: string; readonly strictness: 0 | 1 | 2 } => {
  const found = strictest(result);
  if (found !== undefined) {
    const isRefused = found.refusal === 'refused';
    return { text: `${isRefused ? 'refused' : 'requires a human'}: ${found.reason}`, strictness: isRefused ? 2 : 1 };
  }
  const signals = result.hook_signals.map(
    ({ hook_id, code, payload }) => `${hook_id} ${code} ${JSON.stringify(payload)}`,
  );
  return { text: signals.length === 0 ? 'goes on' : `goes on, with ${signals.join(', ')}`, strictness: 0 };
};
