/** Merges the results of an ability event's hooks into one, and determines the fate of each returned field. */
import { isRefusal } from '../events/index.ts';
import {
  type AbilityEventError,
  type AbilityEventResult,
  type AbilityHookRun,
  type AbilityOnFault,
  type FieldFate,
  type HookExecutionResult,
  type HookLog,
  type HookSignal,
  readHookResult,
} from '../protocol/index.ts';

export interface AbilityHookResult {
  readonly hookId: string;
  readonly blocking: boolean;
  readonly onFault: AbilityOnFault;
  readonly result: HookExecutionResult;
}

const describeFault = ({ error, code }: HookExecutionResult): string =>
  error?.message ?? `the hook ended with the fault ${code}`;

const summarizeRun = ({ hookId, blocking, result }: AbilityHookResult): AbilityHookRun => {
  const { code, duration, output, background } = result;
  const base = { hook_id: hookId, blocking };
  if (background === true) return { ...base, outcome: 'background' };
  if (code !== undefined) {
    return { ...base, outcome: 'faulted', code, message: describeFault(result), duration_ms: duration };
  }
  const isSilent = output === undefined || Object.keys(output).length === 0;
  return { ...base, outcome: isSilent ? 'silent' : 'answered', duration_ms: duration };
};

/**
 * Keeps all signals of the hooks that the event waited for, because the caller decides what follows from them. A fault
 * fails the event only if the hook's `onFault` is `fail`.
 */
export const mergeAbilityResults = (eventType: string, runs: readonly AbilityHookResult[]): AbilityEventResult => {
  const logs: HookLog[] = [];
  const signals: HookSignal[] = [];
  let usageRecorded = false;
  let error: AbilityEventError | undefined;
  for (const { hookId, onFault, result } of runs) {
    if (result.background === true) continue;
    const { logs: lines = [], usage_recorded = false, hook_signals = [] } = readHookResult(result.output);
    logs.push(...lines);
    signals.push(...hook_signals);
    usageRecorded ||= usage_recorded;
    if (result.code === undefined || onFault !== 'fail') continue;
    error ??= { code: result.code, message: describeFault(result), hook_id: hookId };
  }
  return {
    event_type: eventType,
    success: error === undefined,
    ...(error === undefined ? {} : { error }),
    logs,
    usage_recorded: usageRecorded,
    hook_signals: signals,
    hooks: runs.map(summarizeRun),
  };
};

export const findAbilityFates = (
  results: readonly HookExecutionResult[],
  hookIds: readonly string[],
): Readonly<Record<string, FieldFate>>[] => {
  const refuser = results.findIndex(({ output }) => readHookResult(output).hook_signals?.some(isRefusal) === true);
  return results.map(({ output, fieldProblems = [] }, index) => {
    const signals = readHookResult(output).hook_signals ?? [];
    const permits =
      signals.length > 0 && signals.every(({ kind }) => kind.startsWith('ability_')) && !signals.some(isRefusal);
    const overruled: FieldFate | undefined =
      refuser >= 0 && refuser !== index && permits ? { fate: 'overridden', by: hookIds[refuser] ?? '' } : undefined;
    const fates: Record<string, FieldFate> = {};
    for (const field of Object.keys(output ?? {})) {
      fates[field] = field === 'hook_signals' && overruled !== undefined ? overruled : { fate: 'applied' };
    }
    for (const { field, fate, note } of fieldProblems) fates[field] ??= { fate, note };
    return fates;
  });
};
