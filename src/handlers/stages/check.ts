import { throwError } from 'rxjs';
import { HookwrightError } from '../../errors.ts';
import type { HookExecutionResult } from '../../protocol/index.ts';
import { MAX_NESTING, nestingDepth } from '../../runners/index.ts';
import type { EventOf, FamilyTypes } from '../family.ts';
import type { Next, Timed } from '../firing.ts';
import type { Parts } from '../parts.ts';

/** The last look before hooks start. It fails with what it finds; where no hook has to run, nobody pays for it. */
export const check = <F extends FamilyTypes, E extends EventOf<F>>(
  { family }: Parts<F>,
  timed: Timed<F, E>,
  next: Next<Timed<F, E>, readonly HookExecutionResult[]>,
) => {
  const { eventName, payload, isRequest } = timed.firing;
  const read = isRequest ? undefined : family.read(eventName, payload);
  if (read?.ok === false) {
    return throwError(() => new HookwrightError('validation_failure', `${eventName}: ${read.message}`));
  }
  if (nestingDepth() < MAX_NESTING) return next(timed);
  const message = `${eventName}: hooks fired events ${MAX_NESTING} levels deep; a hook probably fires its own event`;
  return throwError(() => new HookwrightError('internal_error', message));
};
