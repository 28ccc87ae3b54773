import { delay, map, race } from 'rxjs';
import { ABORT_PATIENCE_MS, type HookExecutionResult } from '../../protocol/index.ts';
import { abortFault, applyOnFault, faultResult } from '../../runners/index.ts';
import { inBackground } from '../background-runs.ts';
import type { EventOf, FamilyTypes, Watch } from '../family.ts';
import type { Next, Watched } from '../firing.ts';

/**
 * What had finished when the event was ended early. Hooks normally notice and end by themselves; this is for those (and
 * for runners) that do not.
 */
export const patience = <F extends FamilyTypes, E extends EventOf<F>>(
  watched: Watched<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
) => {
  const { firing, plan, ticket, watch } = watched;
  if (ticket.signal === undefined) return next(watched);
  const { eventName } = firing;
  const finished: (HookExecutionResult | undefined)[] = new Array(plan.hooks.length);
  const remembering: Watch = {
    again: (index) => watch.again(index),
    started: (index) => watch.started(index),
    ended: (index, result) => {
      if (plan.isBackground?.(index) !== true) finished[index] = result;
      watch.ended(index, result);
    },
  };
  const cutOff$ = ticket.ended$.pipe(
    delay(ABORT_PATIENCE_MS),
    map((reason) => {
      const fault = abortFault(AbortSignal.abort(reason));
      return plan.hooks.map((hook, index) => {
        if (plan.isBackground?.(index) === true) return inBackground(hook, eventName);
        return finished[index] ?? applyOnFault(faultResult(hook, eventName, fault));
      });
    }),
  );
  return race(next({ firing, plan, ticket, watch: remembering }), cutOff$);
};
