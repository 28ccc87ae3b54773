import { map } from 'rxjs';
import { planDeadlineMs } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Next, Planned, Timed } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** From here to its outcome the event can be ended early: by its deadline, by a cancel, by the end of the engine. */
export const deadline = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, inFlight }: Parts<F>,
  { firing, plan }: Planned<F, E>,
  next: Next<Timed<F, E>, Outcome<ResultOf<F, E>>>,
) => {
  const ticket = firing.ticket ?? inFlight.open(firing);
  if (ticket.signal !== undefined) {
    const waitedFor = plan.hooks.filter((_hook, index) => plan.isBackground?.(index) !== true);
    const timeouts = waitedFor.map(({ timeout }) => timeout);
    const first = planDeadlineMs(timeouts, plan.sequential, family.limits());
    const second =
      family.needs?.recheck(firing.eventName, plan) === true ? planDeadlineMs(timeouts, false, family.limits()) : 0;
    ticket.limitTo(first + second);
  }
  return next({ firing, plan, ticket }).pipe(
    map((outcome) => {
      inFlight.close(firing, ticket);
      return outcome;
    }),
  );
};
