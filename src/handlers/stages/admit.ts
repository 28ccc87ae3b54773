import { catchError, from, map, mergeMap, type Observable, of, race } from 'rxjs';
import { disposed, failed, unsupported } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** What an event must find before it is planned: an engine that is not over, its name among the events, and the hooks. */
export const admit = <F extends FamilyTypes, E extends EventOf<F>>(
  parts: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
): Observable<Outcome<ResultOf<F, E>>> => {
  const { family, isOver, audience } = parts;
  const { eventName } = firing;
  if (isOver()) return of(failed(family, audience.logger, eventName, disposed()));
  if (!family.isEvent(eventName)) return of(failed(family, audience.logger, eventName, unsupported(family, eventName)));
  const loading = family.ready();
  return loading === undefined ? next(firing) : afterLoading(parts, firing, loading, next);
};

/** The first event has the hooks loaded, and those that come meanwhile wait for it, as long as their deadlines allow. */
const afterLoading = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, inFlight, audience }: Parts<F>,
  firing: Firing<F, E>,
  loading: Promise<void>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
): Observable<Outcome<ResultOf<F, E>>> => {
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
