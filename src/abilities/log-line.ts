import type { AbilityHookResult } from '../merging/index.ts';
import { AbilityCode, answerIn, endingOf, type HookSignal } from '../protocol/index.ts';
import type { LogEntry } from './log.ts';

const needsHuman = ({ code, payload }: HookSignal): boolean =>
  code === AbilityCode.RequiresHuman || (code === AbilityCode.Denied && payload.require_human === true);

const denies = (signal: HookSignal): boolean =>
  !needsHuman(signal) && (signal.code === AbilityCode.Denied || signal.code === AbilityCode.Unavailable);

const reasonOf = ({ payload }: HookSignal): string =>
  typeof payload.reason === 'string' ? payload.reason : 'No reason provided';

/** What the log says about one hook that has ended. */
export const logLineOf = ({
  eventType,
  hookId,
  blocking,
  onFault,
  result,
}: AbilityHookResult & { readonly eventType: string }): LogEntry => {
  const { code, error, output, duration, warnings = [] } = result;
  const { hook_signals: signals = [], logs = [] } = answerIn(output);
  // Nobody waited for the others, so what they say decides nothing.
  const heard = blocking ? signals : [];
  const denied = heard.filter(denies).map(reasonOf);
  const humans = heard.filter(needsHuman).map(reasonOf);
  return {
    hook_id: hookId,
    event_type: eventType,
    status: code === undefined ? 'success' : 'failure',
    outcome: endingOf(result).kind,
    duration_ms: Math.round(duration * 1_000) / 1_000,
    blocking,
    ...(code === undefined ? {} : { code, error: error?.message, ...(blocking ? { on_fault: onFault } : {}) }),
    ...(denied.length === 0 ? {} : { denied }),
    ...(humans.length === 0 ? {} : { requires_human: humans }),
    ...(blocking || signals.length === 0 ? {} : { ignored_signals: signals.length }),
    ...(logs.length === 0 ? {} : { logs }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};
