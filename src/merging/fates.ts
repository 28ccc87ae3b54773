/** Determines the fate of each field that hooks returned: applied, overridden, unsupported or malformed. */
import { catalogue, type HookEventName } from '../events/index.ts';
import { readAtPath } from '../kit/index.ts';
import { type FieldFate, getOrigin, type HookExecutionResult, type HookOutput } from '../protocol/index.ts';
import { FAULT_FIELD, mergeOutputs, specificPrefix } from './merge.ts';
import { MergeRecord } from './merge-record.ts';

const getSpecificKey = (field: string): string | undefined =>
  field.startsWith(specificPrefix) ? field.slice(specificPrefix.length).split('.', 1)[0] : undefined;

const faultField = `${specificPrefix}${FAULT_FIELD}`;

/** Does not assign, because a hook chose the field name and assigning to `__proto__` would change the prototype. */
const defineFate = (fates: Record<string, FieldFate>, field: string, fate: FieldFate): void => {
  Object.defineProperty(fates, field, { value: fate, configurable: true, enumerable: true, writable: true });
};

const findFatesByOurRule = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  hookIds: readonly string[],
  isSequence = false,
): Readonly<Record<string, FieldFate>>[] => {
  const record = new MergeRecord(hookIds);
  const { merge, supports, keepsData } = catalogue[eventName];
  mergeOutputs(results, merge, record, isSequence);
  const acted: readonly string[] = supports;
  const isActed = (key: string | undefined): boolean =>
    key === undefined || key === 'hookEventName' || acted.includes(key);
  const isData = (key: string | undefined): boolean =>
    keepsData === true || (key !== undefined && keepsData !== undefined && Object.hasOwn(keepsData, key));
  return results.map(({ fieldProblems = [], code }, index) => {
    const fates: Record<string, FieldFate> = {};
    // hookwright adds this field to the answer of a failed hook; the hook did not return it.
    const isOurs = (field: string): boolean => code !== undefined && field === faultField;
    record.eachFate(index, (field, fate) => {
      if (isOurs(field)) return;
      const key = getSpecificKey(field);
      const counts = isActed(key) || isData(key);
      fates[field] = counts ? fate : { fate: 'unsupported', note: `${eventName} does not act on ${key}` };
    });
    for (const { field, fate, note } of fieldProblems) {
      const key = getSpecificKey(field);
      const isKept = fate === 'unsupported' && isData(key) && !isActed(key);
      if (!isKept && !isOurs(field)) defineFate(fates, field, { fate, note });
    }
    return fates;
  });
};

const readField = (output: HookOutput | undefined, field: string): unknown => readAtPath(output, field.split('.'));

const containsValue = (merged: unknown, value: unknown): boolean =>
  typeof merged === 'string' && typeof value === 'string'
    ? merged.includes(value)
    : merged !== undefined && JSON.stringify(merged) === JSON.stringify(value);

export const findOutputFates = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  hookIds: readonly string[],
  isSequence = false,
): Readonly<Record<string, FieldFate>>[] => {
  const merged = findFatesByOurRule(results, eventName, hookIds, isSequence);
  if (results.every(({ own }) => own === undefined)) return merged;
  const single = findFatesByOurRule(
    results.map((result) => result.own ?? result),
    eventName,
    hookIds,
    isSequence,
  );
  const agentAt = (index: number): string | undefined =>
    results[index]?.own === undefined ? undefined : getOrigin(results[index].hookConfig)?.dialect?.name;
  return results.map(({ own }, index) => {
    if (own === undefined) return merged[index] ?? {};
    const group = [...results.keys()].filter((other) => agentAt(other) === agentAt(index));
    const place = group.find((other) => results[other]?.output !== undefined) ?? index;
    const isIn = (field: string, of: number): boolean =>
      containsValue(readField(results[place]?.output, field), readField(results[of]?.own?.output, field));
    const fateIn = (field: string, fate: FieldFate): FieldFate => {
      if (fate.fate !== 'applied' && fate.fate !== 'overridden') return fate;
      if (isIn(field, index)) return merged[place]?.[field] ?? fate;
      const winner = group.find((other) => other !== index && isIn(field, other));
      if (winner !== undefined) return { fate: 'overridden', by: hookIds[winner] ?? 'another hook' };
      return { fate: 'unsupported', note: 'its agent leaves it out where several hooks answer' };
    };
    const fates: Record<string, FieldFate> = {};
    for (const [field, fate] of Object.entries(single[index] ?? {})) defineFate(fates, field, fateIn(field, fate));
    return fates;
  });
};
