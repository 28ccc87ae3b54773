import { map } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes } from '../family.ts';
import type { Next, Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** Parallel hooks that contradict each other are marked, where the host wants that to deny. */
export const conflicts = <F extends FamilyTypes, E extends EventOf<F>>(
  { family }: Parts<F>,
  watched: Watched<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
) => {
  const { firing } = watched;
  const { withConflicts } = family;
  if (withConflicts === undefined) return next(watched);
  return next(watched).pipe(map((results) => withConflicts(firing.eventName, firing.payload, results)));
};
