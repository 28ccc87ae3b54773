import type { FamilyTypes } from './family.ts';
import type { Parts } from './parts.ts';
import { isTraced } from './reporting/live-report.ts';

/**
 * Whether an event that no hook runs for passes the stages without a trace: it is neither refused nor told to anybody. There
 * is a line here for each stage down to `plan`, where such an event ends.
 */
export const isUnheard = <F extends FamilyTypes>(
  { family, isOver, isWatched, audience }: Parts<F>,
  eventName: string,
): boolean =>
  !isWatched() && // visible
  !isOver() && // admit
  family.isEvent(eventName) &&
  audience.logger?.debug === undefined && // plan
  !isTraced(audience);
