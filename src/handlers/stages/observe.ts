import { catchError, map, of } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import { failed } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Next, Timed } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Where hooks are only observed, rows and log say what they did, and the outcome is as if none had said anything. */
export const observe = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, audience: { logger } }: Parts<F>,
  timed: Timed<F, E>,
  next: Next<Timed<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const {
    firing: { eventName },
    plan,
  } = timed;
  return next(timed).pipe(
    map((outcome) => {
      const { results, error } = outcome;
      return { ...outcome, result: family.merge(eventName, plan, results.map(unsaid), error) };
    }),
    catchError((error: unknown) => of(failed(family, logger, eventName, error))),
  );
};

/** That a hook failed is no word of it: it is told. */
const unsaid = ({ output: _said, ...result }: HookExecutionResult): HookExecutionResult => result;
