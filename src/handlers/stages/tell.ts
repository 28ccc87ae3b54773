import { tap } from 'rxjs';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Next, Timed } from '../firing.ts';
import type { Parts } from '../parts.ts';
import { overBudgetLine } from '../reporting/budget.ts';
import { firedLine } from '../reporting/log-lines.ts';

/** One line of the log for each event that ran hooks, and a word to a person where hooks failed. */
export const tell = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, audience: { logger }, feedback }: Parts<F>,
  timed: Timed<F, E>,
  next: Next<Timed<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const budgetMs = logger?.warn === undefined ? undefined : family.budgetMs?.(timed.firing.eventName);
  if (logger?.debug === undefined && feedback === undefined && budgetMs === undefined) return next(timed);
  const startedAt = performance.now();
  const {
    firing: { eventName, payload },
    plan,
  } = timed;
  return next(timed).pipe(
    tap(({ result, results }) => {
      if (results.length === 0) return;
      const changed = family.changed?.(result) ?? '';
      const took = performance.now() - startedAt;
      logger?.debug?.(firedLine(eventName, plan.subject, results, took, changed));
      feedback?.about(eventName, payload, results);
      if (budgetMs === undefined) return;
      const over = overBudgetLine(results, plan.hooks, {
        eventName,
        budgetMs,
        tookMs: took,
        sequential: plan.sequential,
      });
      if (over !== undefined) logger?.warn?.(over);
    }),
  );
};
