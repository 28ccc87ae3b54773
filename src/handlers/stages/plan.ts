import { of } from 'rxjs';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Firing, Next, Planned } from '../firing.ts';
import type { Parts } from '../parts.ts';
import { skippedLine } from '../reporting/log-lines.ts';
import { reportOn } from './report.ts';

/** Which hooks run. By far the most events have none, and are answered here. */
export const plan = <F extends FamilyTypes, E extends EventOf<F>>(
  parts: Parts<F>,
  firing: Firing<F, E>,
  next: Next<Planned<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const { family, audience } = parts;
  const { eventName } = firing;
  const made = family.plan(eventName, firing.payload, firing.options);
  if (made.hooks.length > 0) return next({ firing, plan: made });
  if (audience.logger?.debug !== undefined) audience.logger.debug(skippedLine(eventName, made.subject));
  reportOn(parts, { firing, plan: made })?.concluded([]);
  return of<Outcome<ResultOf<F, E>>>({ result: family.empty(eventName, made), results: [] });
};
