import { catalogue, FAULT_MARK, type HookEventName, MergeLedger } from '../events/index.ts';
import type { FieldFate, HookExecutionResult } from '../protocol/index.ts';
import { accountFor } from './aggregator.ts';

const specificPrefix = 'hookSpecificOutput.';

/** The member of `hookSpecificOutput` a field is, or belongs to. */
const specificKey = (field: string): string | undefined =>
  field.startsWith(specificPrefix) ? field.slice(specificPrefix.length).split('.', 1)[0] : undefined;

const faultMark = `${specificPrefix}${FAULT_MARK}`;

/** A name that a hook chose may be one that is not to be assigned to. */
const define = (fates: Record<string, FieldFate>, field: string, fate: FieldFate): void => {
  Object.defineProperty(fates, field, { value: fate, configurable: true, enumerable: true, writable: true });
};

/** What became of every field each hook returned, in the order of the results. */
export const fatesOf = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  hookIds: readonly string[],
  isSequence = false,
): Readonly<Record<string, FieldFate>>[] => {
  const ledger = new MergeLedger(hookIds);
  accountFor(results, eventName, ledger, isSequence);
  const { supports, keepsData } = catalogue[eventName];
  const acted: readonly string[] = supports;
  const isActed = (key: string | undefined): boolean =>
    key === undefined || key === 'hookEventName' || acted.includes(key);
  const isData = (key: string | undefined): boolean =>
    keepsData === true || (key !== undefined && keepsData !== undefined && Object.hasOwn(keepsData, key));
  return results.map(({ fieldProblems = [], code }, index) => {
    const fates: Record<string, FieldFate> = {};
    // The mark of a fault is ours; the hook returned no such field.
    const isOurs = (field: string): boolean => code !== undefined && field === faultMark;
    ledger.eachFate(index, (field, fate) => {
      if (isOurs(field)) return;
      const key = specificKey(field);
      const counts = isActed(key) || isData(key);
      fates[field] = counts ? fate : { fate: 'unsupported', note: `${eventName} does not act on ${key}` };
    });
    for (const { field, fate, note } of fieldProblems) {
      const key = specificKey(field);
      const isKept = fate === 'unsupported' && isData(key) && !isActed(key);
      if (!isKept && !isOurs(field)) define(fates, field, { fate, note });
    }
    return fates;
  });
};
