import { catchError, defer, map, type Observable, of } from 'rxjs';
import { describeThrown } from '../../kit/index.ts';
import type { HookExecutionResult } from '../../protocol/index.ts';
import { abortFault, applyOnFault, faultResult } from '../../runners/index.ts';
import { failed } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Next, Timed } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Many results, one outcome. What fails below here has one too. */
export const merge = <F extends FamilyTypes, E extends EventOf<F>>(
  parts: Parts<F>,
  timed: Timed<F, E>,
  next: Next<Timed<F, E>, readonly HookExecutionResult[]>,
): Observable<Outcome<ResultOf<F, E>>> => {
  const { firing, plan, ticket } = timed;
  return defer(() => next(timed)).pipe(
    map((results) => {
      const error = ticket.ended;
      const result = parts.family.merge(firing.eventName, plan, results, error);
      return error === undefined ? { result, results } : { result, results, error };
    }),
    catchError((error: unknown) => of(unheard(parts, timed, error))),
  );
};

/** The engine failed before its hooks could: a guard has not been heard, and its fault counts. */
const unheard = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, audience }: Parts<F>,
  { firing: { eventName }, plan, ticket }: Timed<F, E>,
  thrown: unknown,
): Outcome<ResultOf<F, E>> => {
  const outcome = failed(family, audience.logger, eventName, thrown);
  const guards = [...plan.hooks.keys()].filter((index) => family.isGuard(plan, index));
  if (guards.length === 0) return outcome;
  const fault =
    ticket.ended === undefined
      ? ({ code: 'threw', message: `it was not started: ${describeThrown(thrown)}` } as const)
      : abortFault(AbortSignal.abort(ticket.ended));
  const results = plan.hooks.flatMap((hook, index) =>
    guards.includes(index) ? [applyOnFault(faultResult(hook, eventName, fault))] : [],
  );
  try {
    return {
      ...outcome,
      result: family.merge(eventName, family.narrow(plan, guards), results, outcome.error),
      results,
    };
  } catch {
    // An aggregator of the host's that fails twice: what it failed at first is what the caller hears.
    return outcome;
  }
};
