import { of } from 'rxjs';
import { disposed, failed, unsupported } from '../failures.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Refuses events the family does not have, and every event once the engine was disposed of. */
export const admit = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, isOver, audience: { logger } }: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Firing<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const { eventName } = firing;
  if (isOver()) return of(failed(family, logger, eventName, disposed()));
  return family.isEvent(eventName)
    ? next(firing)
    : of(failed(family, logger, eventName, unsupported(family, eventName)));
};
