import { Observable, type Observer, type Operator, type Subscriber, type Subscription, type TeardownLogic } from 'rxjs';
import type { Guard } from './guard.ts';

type Next<T> = (value: T) => void;
type Handlers<T> = Partial<Observer<T>>;

/**
 * A link of a chain, which must get through untouched: the operator behind it answers for it. Told by its methods, as
 * RxJS does itself, because it may come from another copy of RxJS.
 */
const isSubscriber = (value: object): boolean =>
  'closed' in value &&
  ['next', 'error', 'complete', 'add', 'remove', 'unsubscribe'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );

/**
 * RxJS rethrows what an observer throws, or fails with unheard, from a timer, which ends the process. Here it is
 * reported through the guard, for this stream and for all that is derived from it by `pipe`. What combines streams
 * without deriving from one (`merge(a, b)`) is an Observable of RxJS's own and behaves like one.
 */
export class GuardedStream<T> extends Observable<T> {
  readonly #guard: Guard;

  constructor(start: (subscriber: Subscriber<T>) => TeardownLogic, guard: Guard) {
    super(start);
    this.#guard = guard;
  }

  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = super.lift(operator);
    return new GuardedStream<R>((subscriber) => lifted.subscribe(subscriber), this.#guard);
  }

  override subscribe(
    observerOrNext?: Handlers<T> | Next<T> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    if (typeof observerOrNext === 'object' && observerOrNext !== null) {
      return super.subscribe(isSubscriber(observerOrNext) ? observerOrNext : this.#guarded(observerOrNext));
    }
    const handlers: Handlers<T> = {};
    if (observerOrNext) handlers.next = observerOrNext;
    if (error) handlers.error = error;
    if (complete) handlers.complete = complete;
    return super.subscribe(this.#guarded(handlers));
  }

  #guarded(observer: Handlers<T>): Observer<T> {
    const guard = this.#guard;
    // Called as methods of the observer, and looked up each time, as RxJS does.
    const next = (value: T): unknown => observer.next?.(value);
    const complete = (): unknown => observer.complete?.();
    const error = (thrown: unknown): unknown => (observer.error ? observer.error(thrown) : guard.failed(thrown));
    return {
      next: (value) => guard.run(next, value),
      error: (thrown) => guard.run(error, thrown),
      complete: () => guard.run(complete, undefined),
    };
  }
}
