import { conflictsIn, type HookEventName } from '../events/index.ts';
import { type HookExecutionResult, hookKey, notice, saidIn } from '../protocol/index.ts';

const silent = { output: {}, hasOpinion: false };

const nameOf = (results: readonly HookExecutionResult[], place: number): string => {
  const hook = results[place]?.hookConfig;
  return hook === undefined ? 'another hook' : `"${hookKey(hook)}"`;
};

/** The results of parallel hooks, those that change one field to different values marked as such, with the others' names. */
export const withConflicts = (
  results: readonly HookExecutionResult[],
  eventName: HookEventName,
  input: object,
): readonly HookExecutionResult[] => {
  const contributions = results.map((result) => saidIn(result) ?? silent);
  const conflicts = conflictsIn(contributions, eventName, input);
  if (conflicts.length === 0) return results;
  return results.map((result, place) => {
    const mine = conflicts.filter(({ earlier, later }) => earlier === place || later === place);
    const notes = mine.map(({ field, earlier, later }) => {
      const names = `${nameOf(results, earlier)} and ${nameOf(results, later)}`;
      return notice('conflict', `${names} change ${field} to different values, which denies (onConflict)`);
    });
    return notes.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...notes] };
  });
};

const conflictIn = (results: readonly HookExecutionResult[]): string | undefined => {
  for (const { warnings = [] } of results) {
    const found = warnings.find(({ code }) => code === 'conflict');
    if (found !== undefined) return found.message;
  }
  return undefined;
};

/** What is to be merged: where hooks contradict each other, a denial that none of them has said comes to it. */
export const withDenial = (results: readonly HookExecutionResult[]): readonly HookExecutionResult[] => {
  const reason = conflictIn(results);
  const [first] = results;
  if (reason === undefined || first === undefined) return results;
  const { hookConfig, eventName } = first;
  const output = { decision: 'deny', reason } as const;
  return [...results, { hookConfig, eventName, success: true, outputFormat: 'json', output, duration: 0 }];
};
