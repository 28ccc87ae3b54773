// The lifetime of an event: its deadline, cancellation and early end.
import { AsyncSubject, firstValueFrom, from, map, race } from 'rxjs';
import { HookwrightError } from '../errors.ts';
import { callAfterTwoTurns, onAbort } from '../kit/index.ts';
import { MAX_TIMEOUT_MS } from '../protocol/index.ts';
import type { FireOptions, Firing } from './firing.ts';

const MAX_REQUESTS_IN_FLIGHT = 20_000;

/**
 * The time from the first hook of an event to its outcome. A deadline, a cancellation or the disposal of the engine ends
 * the event early.
 */
export class EventLifetime {
  /** True if the event has a deadline or can be cancelled. */
  readonly isLimited: boolean;
  readonly #outer: AbortSignal | undefined;
  /** Created on first use, because an `AbortController` costs more than most function hooks. */
  #controller: AbortController | undefined;
  #stopListening: (() => void) | undefined;
  #limitMs: number | undefined;
  #openedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended: HookwrightError | undefined;
  readonly #ended$ = new AsyncSubject<HookwrightError>();

  constructor(options?: FireOptions) {
    const { timeoutMs, signal } = options ?? {};
    this.#outer = signal;
    this.isLimited = options !== undefined;
    if (this.isLimited) this.#openedAt = performance.now();
    if (signal?.aborted) this.#cancelledOutside();
    else if (signal !== undefined) this.#stopListening = onAbort(signal, () => this.#cancelledOutside());
    this.#limitMs = timeoutMs;
  }

  get aborted(): boolean {
    return this.#ended !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  get ended(): HookwrightError | undefined {
    return this.#ended;
  }

  /** Ignored if the requester set a deadline. */
  limitTo(timeoutMs: number): void {
    this.#limitMs ??= timeoutMs;
  }

  /** Called only if the event has to wait. Events whose hooks all return synchronously need no timer. */
  startClock(): void {
    const timeoutMs = this.#limitMs;
    if (timeoutMs === undefined || this.#timer !== undefined || this.#ended !== undefined) return;
    const details = { timeoutMs };
    const over = (): void =>
      this.end(new HookwrightError('deadline_exceeded', `No complete answer within ${timeoutMs} ms`, { details }));
    const leftMs = Math.min(timeoutMs, MAX_TIMEOUT_MS) - (performance.now() - this.#openedAt);
    this.#timer = setTimeout(() => callAfterTwoTurns(over), Math.max(leftMs, 0));
  }

  #cancelledOutside(): void {
    this.end(new HookwrightError('cancelled', 'The request was cancelled', { cause: this.#outer?.reason }));
  }

  end(reason: HookwrightError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    clearTimeout(this.#timer);
    this.#controller?.abort(reason);
    this.#ended$.next(reason);
    this.#ended$.complete();
  }

  /** Resolves to `undefined` when the work is done, or to the reason why the event ended first. */
  endedBefore(work: Promise<unknown>): Promise<HookwrightError | undefined> {
    return firstValueFrom(race(from(work).pipe(map(() => undefined)), this.#ended$));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stopListening?.();
  }
}

export class EventsInFlight {
  /** Shared by all events that have no deadline and cannot be cancelled. */
  readonly #unlimited = new EventLifetime();
  readonly #lifetimes = new Set<EventLifetime>();
  readonly #requests = new Map<string, EventLifetime>();

  open({ options, correlationId, isRequest }: Firing<unknown>): EventLifetime {
    const { timeoutMs, signal } = options;
    if (!isRequest && timeoutMs === undefined && signal === undefined) return this.#unlimited;
    const lifetime = new EventLifetime(options);
    this.#lifetimes.add(lifetime);
    if (isRequest && correlationId !== undefined) this.#requests.set(correlationId, lifetime);
    return lifetime;
  }

  close({ correlationId, isRequest }: Firing<unknown>, lifetime: EventLifetime): void {
    if (lifetime === this.#unlimited) return;
    this.#lifetimes.delete(lifetime);
    if (isRequest && correlationId !== undefined) this.#requests.delete(correlationId);
    lifetime.close();
  }

  refusalOf(correlationId: string): HookwrightError | undefined {
    if (this.#requests.has(correlationId)) {
      return new HookwrightError('duplicate_request', `The request "${correlationId}" is still being answered`);
    }
    if (this.#requests.size < MAX_REQUESTS_IN_FLIGHT) return undefined;
    return new HookwrightError('overloaded', `${MAX_REQUESTS_IN_FLIGHT} requests are in flight; try again later`);
  }

  cancel(correlationId: string): void {
    this.#requests.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled'));
  }

  endAll(): void {
    for (const lifetime of [this.#unlimited, ...this.#lifetimes]) lifetime.end(createDisposedError());
  }
}

export const createDisposedError = (): HookwrightError =>
  new HookwrightError('disposed', 'The hook system has been disposed of');
