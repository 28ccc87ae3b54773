import { map } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes } from '../family.ts';
import type { Next, Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** What the hooks of one event say to a model together has a limit, in families that speak to one. */
export const modelText = <F extends FamilyTypes, E extends EventOf<F>>(
  { family: { withinModelText } }: Parts<F>,
  watched: Watched<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
) => (withinModelText === undefined ? next(watched) : next(watched).pipe(map(withinModelText)));
