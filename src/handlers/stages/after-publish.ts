import { Observable, Subscription } from 'rxjs';
import { nestingDepth, runAtDepth } from '../../runners/index.ts';
import type { EventOf, FamilyTypes, Outcome, ResultOf } from '../family.ts';
import type { Next, Timed } from '../firing.ts';

/** Hooks of a request start after the publisher's call is over: what a hook publishes itself is then no nested message. */
export const afterPublish = <F extends FamilyTypes, E extends EventOf<F>>(
  timed: Timed<F, E>,
  next: Next<Timed<F, E>, Outcome<ResultOf<F, E>>>,
): Observable<Outcome<ResultOf<F, E>>> => {
  if (!timed.firing.isRequest) return next(timed);
  const depth = nestingDepth();
  return new Observable((subscriber) => {
    const started = new Subscription();
    const begin = (): void => started.add(next(timed).subscribe(subscriber));
    queueMicrotask(depth === 0 ? begin : () => runAtDepth(depth, begin));
    return started;
  });
};
