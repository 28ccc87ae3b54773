import { catalogue, FAULT_MARK, type HookEventName, MergeLedger } from '../events/index.ts';
import type { FieldFate, HookExecutionResult } from '../protocol/index.ts';
import { accountFor } from './aggregator.ts';

const specificPrefix = 'hookSpecificOutput.';

/** The member of `hookSpecificOutput` a field is, or belongs to. */
const specificKey = (field: string): string | undefined =>
  field.startsWith(specificPrefix) ? field.slice(specificPrefix.length).split('.', 1)[0] : undefined;

/** What became of every field each hook returned, in the order of the results. */
export const fatesOf = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  hookIds: readonly string[],
): Readonly<Record<string, FieldFate>>[] => {
  const ledger = new MergeLedger(hookIds);
  accountFor(results, eventName, ledger);
  const { supports, keepsData } = catalogue[eventName];
  const acted: readonly string[] = ['hookEventName', ...supports];
  return results.map((result, index) => {
    const fates = ledger.fatesOf(index);
    for (const problem of result.fieldProblems ?? []) {
      const key = specificKey(problem.field);
      const isData = keepsData === true && problem.fate === 'unsupported' && key !== undefined && !acted.includes(key);
      if (!isData) fates.set(problem.field, { fate: problem.fate, note: problem.note });
    }
    // The mark of a fault is ours; the hook returned no such field.
    if (result.code !== undefined) fates.delete(`${specificPrefix}${FAULT_MARK}`);
    for (const [field, { fate }] of fates) {
      const key = specificKey(field);
      if (key === undefined || fate === 'malformed' || keepsData === true || acted.includes(key)) continue;
      if (fate === 'unsupported') continue;
      fates.set(field, { fate: 'unsupported', note: `${eventName} does not act on ${key}` });
    }
    return Object.fromEntries(fates);
  });
};
