import { catchError, from, map, mergeMap, of, race } from 'rxjs';
import { failed } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** The first event has the hooks loaded, and those that come meanwhile wait for it, as long as their deadlines allow. */
export const ready = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, inFlight, audience }: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const loading = family.ready();
  if (loading === undefined) return next(firing);
  const { eventName } = firing;
  const ticket = inFlight.open(firing);
  const settle = (outcome: Outcome<ResultOf<F, E>>): Outcome<ResultOf<F, E>> => {
    inFlight.close(firing, ticket);
    return outcome;
  };
  const loaded$ = from(loading).pipe(map(() => undefined));
  return race(loaded$, ticket.ended$).pipe(
    mergeMap((ended) =>
      ended === undefined
        ? next({ ...firing, ticket })
        : of({ result: family.broken(eventName, ended), results: [], error: ended }),
    ),
    catchError((error: unknown) => of(failed(family, audience.logger, eventName, error))),
    map(settle),
  );
};
