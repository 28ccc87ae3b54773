import { type HookConfig, type HookExecutionResult, hookKey, notice } from '../../protocol/index.ts';

/** How long the hooks of one event took, and may take. */
export interface Spending {
  readonly eventName: string;
  readonly budgetMs: number;
  readonly tookMs: number;
  readonly sequential: boolean;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/**
 * The places of the hooks that cost most, the dearest first: so many that the others alone would be within the budget. In
 * parallel a hook costs as much as it is longer than the others, one after another each costs what it takes.
 */
const costliest = (
  durations: readonly number[],
  { budgetMs, sequential }: Pick<Spending, 'budgetMs' | 'sequential'>,
): number[] => {
  const places = [...durations.keys()].sort((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0));
  const costOf = (some: readonly number[]): number => {
    const spent = some.map((place) => durations[place] ?? 0);
    return sequential ? sum(spent) : Math.max(0, ...spent);
  };
  const enough = places.findIndex((_place, index) => costOf(places.slice(index)) <= budgetMs);
  // Hooks that waited for a place may be within the budget one by one: the longest are named all the same.
  return places.slice(0, enough === -1 ? places.length : Math.max(1, enough));
};

/** The results of an event that went over its budget, those that cost most with a warning. */
export const withSpending = (
  results: readonly HookExecutionResult[],
  spending: Spending | undefined,
): readonly HookExecutionResult[] => {
  if (spending === undefined || spending.tookMs <= spending.budgetMs) return results;
  const { eventName, budgetMs, tookMs } = spending;
  const dear = costliest(
    results.map(({ duration }) => duration),
    spending,
  );
  return results.map((result, place) => {
    if (!dear.includes(place)) return result;
    const message = `${ms(result.duration)} of the ${ms(tookMs)} that ${eventName} took, whose budget is ${ms(budgetMs)}`;
    const warning = notice('over-budget', message, {
      fix: 'hookwright bench says where the time goes',
      detail: { budgetMs, tookMs },
    });
    return { ...result, warnings: [...(result.warnings ?? []), warning] };
  });
};

/** The line of the log for such an event; nothing where it kept its budget. */
export const overBudgetLine = (
  results: readonly HookExecutionResult[],
  hooks: readonly HookConfig[],
  { eventName, budgetMs, tookMs, sequential }: Spending,
): string | undefined => {
  if (tookMs <= budgetMs) return undefined;
  const durations = results.map(({ duration }) => duration);
  const names = costliest(durations, { budgetMs, sequential }).map((place) => {
    const hook = results[place]?.hookConfig ?? hooks[place];
    return `"${hook === undefined ? 'another hook' : hookKey(hook)}" (${ms(durations[place] ?? 0)})`;
  });
  return `${eventName} took ${ms(tookMs)}, its budget is ${ms(budgetMs)}; most of it: ${names.join(', ')}`;
};
