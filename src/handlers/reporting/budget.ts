// Warns of events whose hooks took longer than the budget of the event.
import { getHookKey, type HookExecutionResult, notice, withWarnings } from '../../protocol/index.ts';

interface EventDuration {
  readonly eventName: string;
  readonly budgetMs: number | undefined;
  readonly tookMs: number;
  readonly sequential: boolean;
}

const formatMs = (value: number): string => `${Math.round(value)} ms`;

/**
 * Finds the longest hooks, as many as must be removed for the other hooks to fit the budget. Parallel hooks cost as much
 * as the longest of them, sequential hooks cost their sum.
 */
const findExcess = (
  results: readonly HookExecutionResult[],
  { budgetMs, tookMs, sequential }: EventDuration,
): readonly HookExecutionResult[] => {
  if (budgetMs === undefined || tookMs <= budgetMs) return [];
  const longest = [...results].sort((a, b) => b.duration - a.duration);
  const costOf = (some: readonly HookExecutionResult[]): number =>
    sequential ? some.reduce((all, { duration }) => all + duration, 0) : (some[0]?.duration ?? 0);
  const enough = longest.findIndex((_result, index) => costOf(longest.slice(index)) <= budgetMs);
  // If waiting to start processes exceeded the budget, although no hook did, the longest hook is named.
  return longest.slice(0, enough === -1 ? longest.length : Math.max(1, enough));
};

export const warnOverBudget = (
  results: readonly HookExecutionResult[],
  event: EventDuration,
): readonly HookExecutionResult[] => {
  const { eventName, budgetMs = 0, tookMs } = event;
  const excess = findExcess(results, event);
  const more = { fix: 'hookwright bench says where the time goes', detail: { budgetMs, tookMs } };
  return results.map((result) => {
    if (!excess.includes(result)) return result;
    const message = `${formatMs(result.duration)} of the ${formatMs(tookMs)} that ${eventName} took, whose budget is ${formatMs(budgetMs)}`;
    return withWarnings(result, [notice('over-budget', message, more)]);
  });
};

export const describeOverBudget = (
  results: readonly HookExecutionResult[],
  event: EventDuration,
): string | undefined => {
  const { eventName, budgetMs = 0, tookMs } = event;
  const names = findExcess(results, event).map((one) => `"${getHookKey(one.hookConfig)}" (${formatMs(one.duration)})`);
  if (names.length === 0) return undefined;
  return `${eventName} took ${formatMs(tookMs)}, its budget is ${formatMs(budgetMs)}; most of it: ${names.join(', ')}`;
};
