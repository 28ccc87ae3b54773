/** Finds parallel hooks that change one field to different values. */
import { catalogue, type HookEventName } from '../events/index.ts';
import { hasSameJsonText, readAtPath } from '../kit/index.ts';
import { getHookKey, type HookExecutionResult, notice, withWarnings } from '../protocol/index.ts';
import { mergeOutputs, specificPrefix } from './merge.ts';
import { MergeRecord } from './merge-record.ts';

export const addConflictWarnings = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  input: object,
): readonly HookExecutionResult[] => {
  const conflicts = findConflicts(results, eventName, input);
  if (conflicts.length === 0) return results;
  return results.map((result, index) => {
    const mine = conflicts.filter(({ earlier, later }) => earlier === index || later === index);
    const notes = mine.map(({ field, earlier, later }) => {
      const names = `${formatHookName(results, earlier)} and ${formatHookName(results, later)}`;
      return notice('conflict', `${names} change ${field} to different values, which denies (onConflict)`);
    });
    return withWarnings(result, notes);
  });
};

export const denyOnConflict = (results: readonly HookExecutionResult[]): readonly HookExecutionResult[] => {
  const reason = results.flatMap(({ warnings = [] }) => warnings).find(({ code }) => code === 'conflict')?.message;
  const [first] = results;
  if (reason === undefined || first === undefined) return results;
  const { hookConfig, eventName } = first;
  const output = { decision: 'deny', reason } as const;
  return [...results, { hookConfig, eventName, success: true, outputFormat: 'json', output, duration: 0 }];
};

const formatHookName = (results: readonly HookExecutionResult[], index: number): string => {
  const hook = results[index]?.hookConfig;
  return hook === undefined ? 'another hook' : `"${getHookKey(hook)}"`;
};

interface FieldConflict {
  readonly field: string;
  readonly earlier: number;
  readonly later: number;
}

/**
 * A conflict exists if one answer would silently undo another hook's change. Joined texts are no conflict, and neither
 * is a value equal to the original.
 */
const findConflicts = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  input: object,
): readonly FieldConflict[] => {
  const { merge, supports } = catalogue[eventName];
  const acted: readonly string[] = supports;
  const record = new ConflictRecord((path, value) => {
    const original = readAtPath(input, path);
    return (
      acted.includes(path[0] ?? '') && !hasSameJsonText(value, original) && (original !== undefined || value !== false)
    );
  });
  mergeOutputs(results, merge, record);
  return record.conflicts;
};

class ConflictRecord extends MergeRecord {
  readonly conflicts: FieldConflict[] = [];
  readonly #changes = new Map<string, { readonly index: number; readonly value: unknown }>();
  readonly #isChange: (path: readonly string[], value: unknown) => boolean;

  constructor(isChange: (path: readonly string[], value: unknown) => boolean) {
    super([]);
    this.#isChange = isChange;
  }

  override note(...[name, index, value, { survivor }]: Parameters<MergeRecord['note']>): void {
    if (!name.startsWith(specificPrefix)) return;
    const field = name.slice(specificPrefix.length);
    if (!this.#isChange(field.split('.'), value)) return;
    const before = this.#changes.get(field);
    if (before !== undefined && survivor === 'later' && !hasSameJsonText(before.value, value)) {
      this.conflicts.push({ field, earlier: before.index, later: index });
    }
    this.#changes.set(field, { index, value });
  }
}
