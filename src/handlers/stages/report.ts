import { tap, throwError } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes, Watch } from '../family.ts';
import type { Next, Planned, Timed, Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';
import { hasAudience, LiveReport } from '../reporting/live-report.ts';

const nobody: Watch = { again: (index) => index, started: () => undefined, ended: () => undefined };

/** What tells whoever listens; nothing where nobody does, so that it costs nothing. */
export const reportOn = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, audience, timestamps, newId }: Parts<F>,
  { firing: { eventName, correlationId }, plan }: Planned<F, E>,
): LiveReport | undefined => {
  if (!hasAudience(audience)) return undefined;
  const mode = plan.sequential ? ('sequential' as const) : ('parallel' as const);
  const subject = {
    eventName,
    subject: plan.subject,
    mode: plan.hooks.length === 0 ? ('none' as const) : mode,
    hooks: plan.hooks,
    plannedRows: plan.rows,
    correlationId: () => correlationId ?? newId(),
    fates: family.fates(eventName),
    observed: family.needs?.observe(eventName, plan) === true,
    budgetMs: family.budgetMs?.(eventName),
  };
  return new LiveReport(audience, subject, timestamps);
};

/** Tells what becomes of each hook as it happens, and of all of them at the end. */
export const report = <F extends FamilyTypes, E extends EventOf<F>>(
  parts: Parts<F>,
  timed: Timed<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
) => {
  const { firing, plan, ticket } = timed;
  const { ended } = ticket;
  const live = reportOn(parts, timed);
  if (ended !== undefined) {
    live?.aborted();
    return throwError(() => ended);
  }
  const { onEnd } = parts.family;
  if (live === undefined && onEnd === undefined) return next({ firing, plan, ticket, watch: nobody });
  const { length } = plan.hooks;
  const told: boolean[] = [];
  /** The places of those that were asked again, in the order of their second results. */
  const again: number[] = [];
  /** Asked of an array, an index below zero would be a name, and take as long as all else that is told of a hook. */
  const firstPlaceOf = (index: number): number | undefined => (index < length ? undefined : again[index - length]);
  const watch: Watch = {
    again: (index) => {
      again.push(index);
      return length + again.length - 1;
    },
    started: (index) => live?.started(index, firstPlaceOf(index)),
    ended: (index, result) => {
      // Whoever comes after the answer has been told of as missing; nobody has waited for hooks in the background.
      if (told[index] === true) return;
      told[index] = true;
      const place = firstPlaceOf(index);
      live?.ended(index, result, place);
      onEnd?.(firing.eventName, plan, place ?? index, result);
    },
  };
  return next({ firing, plan, ticket, watch }).pipe(
    tap((results) => {
      // A runner of the host's may say nothing until all is over, and hooks that were given up on say nothing at all.
      for (const [index, result] of results.entries()) if (!result.background) watch.ended(index, result);
      live?.concluded(results, again);
    }),
  );
};
