import { from, type Observable } from 'rxjs';
import type { HookExecutionResult } from '../../protocol/index.ts';
import { withTraceParent } from '../../runners/index.ts';
import type { EventOf, FamilyTypes } from '../family.ts';
import type { Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';
import { traceParentFor } from '../reporting/trace-parents.ts';

/** Has the hooks run to their ends. */
export const run = <F extends FamilyTypes, E extends EventOf<F>>(
  { family, bus }: Parts<F>,
  { firing: { eventName, payload, options, correlationId }, plan, ticket, watch }: Watched<F, E>,
): Observable<readonly HookExecutionResult[]> =>
  from(
    withTraceParent(traceParentFor(bus, correlationId), () =>
      family.run(eventName, payload, { plan, options, watch, signal: ticket.signal }),
    ),
  );
