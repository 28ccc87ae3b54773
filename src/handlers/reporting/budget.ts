import { type HookExecutionResult, hookKey, notice } from '../../protocol/index.ts';

export interface BudgetSpending {
  readonly eventName: string;
  readonly budgetMs: number | undefined;
  readonly tookMs: number;
  readonly sequential: boolean;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

/**
 * The longest hooks, as many as must be removed for the others to fit the budget. Parallel hooks cost as much as the
 * longest of them, sequential hooks cost their sum.
 */
const costliest = (
  results: readonly HookExecutionResult[],
  { budgetMs = 0, sequential }: BudgetSpending,
): readonly HookExecutionResult[] => {
  const dearest = [...results].sort((a, b) => b.duration - a.duration);
  const costOf = (some: readonly HookExecutionResult[]): number =>
    sequential ? some.reduce((all, { duration }) => all + duration, 0) : (some[0]?.duration ?? 0);
  const enough = dearest.findIndex((_result, index) => costOf(dearest.slice(index)) <= budgetMs);
  // Waiting for a process slot can exceed the budget although no hook does. The longest hook is named then.
  return dearest.slice(0, enough === -1 ? dearest.length : Math.max(1, enough));
};

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

export const overBudgetLine = (
  results: readonly HookExecutionResult[],
  spending: BudgetSpending,
): string | undefined => {
  const { eventName, budgetMs, tookMs } = spending;
  if (budgetMs === undefined || tookMs <= budgetMs) return undefined;
  const names = costliest(results, spending).map((one) => `"${hookKey(one.hookConfig)}" (${ms(one.duration)})`);
  return `${eventName} took ${ms(tookMs)}, its budget is ${ms(budgetMs)}; most of it: ${names.join(', ')}`;
};
