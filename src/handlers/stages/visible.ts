import { tap } from 'rxjs';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Somebody listens on the bus: a direct call is told there as a request that has its handler already. */
export const visible = <F extends FamilyTypes, E extends EventOf<F>>(
  { bus, family, id: handledBy, newId, isWatched }: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  if (bus === undefined || !isWatched()) return next(firing);
  const { eventName, payload, options } = firing;
  const correlationId = newId();
  bus.publish({ ...family.ask(correlationId, eventName, payload, options), handledBy });
  return next({ ...firing, correlationId }).pipe(
    tap((outcome) => bus.publish({ ...family.answer(correlationId, eventName, outcome), handledBy })),
  );
};
