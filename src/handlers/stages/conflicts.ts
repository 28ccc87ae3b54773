import { map } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes } from '../family.ts';
import type { Next, Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Parallel hooks that contradict each other are marked, in families whose host wants to hear of it. */
export const conflicts = <F extends FamilyTypes, E extends EventOf<F>>(
  { family }: Parts<F>,
  watched: Watched<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
) => {
  const { firing, plan } = watched;
  const mark = plan.sequential ? undefined : family.conflicts?.(firing.eventName, firing.payload);
  return mark === undefined ? next(watched) : next(watched).pipe(map(mark));
};
