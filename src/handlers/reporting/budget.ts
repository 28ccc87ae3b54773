import { type HookExecutionResult, hookKey, notice } from '../../protocol/index.ts';

/** How long the hooks of one event took, and may take. */
export interface BudgetSpending {
  readonly eventName: string;
  /** `undefined` if none was set. */
  readonly budgetMs: number | undefined;
  readonly tookMs: number;
  readonly sequential: boolean;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

/**
 * The hooks that cost most, the dearest first: so many that the others alone would be within the budget. In parallel a hook
 * costs as much as it is longer than the others, one after another each costs what it takes.
 */
const costliest = (
  results: readonly HookExecutionResult[],
  { budgetMs = 0, sequential }: BudgetSpending,
): readonly HookExecutionResult[] => {
  const dearest = [...results].sort((a, b) => b.duration - a.duration);
  const costOf = (some: readonly HookExecutionResult[]): number =>
    sequential ? some.reduce((all, { duration }) => all + duration, 0) : (some[0]?.duration ?? 0);
  const enough = dearest.findIndex((_result, index) => costOf(dearest.slice(index)) <= budgetMs);
  // Hooks that waited for a place may be within the budget one by one: the longest are named all the same.
  return dearest.slice(0, enough === -1 ? dearest.length : Math.max(1, enough));
};

/** The results of an event that went over its budget, those that cost most with a warning. */
export const withSpending = (
  results: readonly HookExecutionResult[],
  spending: BudgetSpending,
): readonly HookExecutionResult[] => {
  const { eventName, budgetMs, tookMs } = spending;
  if (budgetMs === undefined || tookMs <= budgetMs) return results;
  const dear = costliest(results, spending);
  return results.map((result) => {
    if (!dear.includes(result)) return result;
    const message = `${ms(result.duration)} of the ${ms(tookMs)} that ${eventName} took, whose budget is ${ms(budgetMs)}`;
    const warning = notice('over-budget', message, {
      fix: 'hookwright bench says where the time goes',
      detail: { budgetMs, tookMs },
    });
    return { ...result, warnings: [...(result.warnings ?? []), warning] };
  });
};

/** The line of the log for such an event; `undefined` if it kept its budget. */
export const overBudgetLine = (
  results: readonly HookExecutionResult[],
  spending: BudgetSpending,
): string | undefined => {
  const { eventName, budgetMs, tookMs } = spending;
  if (budgetMs === undefined || tookMs <= budgetMs) return undefined;
  const names = costliest(results, spending).map((one) => `"${hookKey(one.hookConfig)}" (${ms(one.duration)})`);
  return `${eventName} took ${ms(tookMs)}, its budget is ${ms(budgetMs)}; most of it: ${names.join(', ')}`;
};
