import { describeValue, isRecord, suggestion } from '../kit/index.ts';
import { type HookEventName, hookEventNames, isHookEventName } from './catalogue.ts';

/** What all hooks of an event together may take, in milliseconds. */
export type EventBudgets = { readonly [E in HookEventName]?: number | undefined };

export const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);

/** What is wrong with budgets given in code, if anything. */
export const whyNotBudgets = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return `needs budgetMs as milliseconds by event; got ${describeValue(value)}`;
  for (const [eventName, budgetMs] of Object.entries(value)) {
    if (!isHookEventName(eventName)) {
      return `has budgetMs.${eventName}, which is not an event${suggestion(eventName, hookEventNames)}`;
    }
    if (budgetMs !== undefined && !isBudget(budgetMs)) {
      return `needs budgetMs.${eventName} as milliseconds over 0; got ${describeValue(budgetMs)}`;
    }
  }
  return undefined;
};
