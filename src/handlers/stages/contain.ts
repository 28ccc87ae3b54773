import { of } from 'rxjs';
import { failed } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** A part of the engine, or one of the host's, that throws fails the event and goes no further. */
export const contain = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, audience }: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  try {
    return next(firing);
  } catch (error) {
    return of(failed(family, audience.logger, firing.eventName, error));
  }
};
