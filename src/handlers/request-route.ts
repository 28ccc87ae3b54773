import { catchError, filter, from, map, mergeMap, type Observable, of, Subject, takeUntil } from 'rxjs';
import type { Bus } from '../bus/bus.ts';
import { type ErrorCode, HookwrightError } from '../errors.ts';
import { describeThrown } from '../kit/index.ts';
import { isCorrelationId, MessageBusType } from '../protocol/message-types.ts';
import type { HookMessage, MessageOf } from '../protocol/messages.ts';
import { nestingDepth, runAtDepth } from '../runners/nesting.ts';
import { asError } from './failure.ts';
import { Ticket } from './ticket.ts';

/** Requests that may be in flight at once; one more is refused at once rather than piled up. */
const MAX_IN_FLIGHT = 20_000;

export const disposed = (): HookwrightError => new HookwrightError('disposed', 'The hook system has been disposed of');

/** Two engines would both answer, and the first answer would hide what the hooks of the other say. */
const handlerExists = (request: string): HookwrightError =>
  new HookwrightError(
    'handler_exists',
    `Another engine answers ${request} on this bus already; give this one a bus of its own, or dispose of the other first`,
    { details: { request } },
  );

type RequestType = 'hook-execution-request' | 'ability-event-request';

/** What a request comes to at first sight: its answer, why it gets none, or work to do. */
export type Admission<Response> =
  | { readonly answer: Response }
  | { readonly refused: HookwrightError }
  | {
      readonly timeoutMs: number | undefined;
      readonly run: (ticket: Ticket) => Promise<Response>;
      /** The response when `run` fails all the same. */
      readonly failed: (error: HookwrightError) => Response;
    };

/** What is particular to one pair of messages. */
export interface Exchange<Type extends RequestType, Response extends HookMessage> {
  readonly request: Type;
  readonly response: Response['type'];
  /** What is wrong with the request's own fields. */
  readonly issueWith: (request: MessageOf<Type>) => string | undefined;
  /** Looks at the rest of a request. A throw means that it cannot be read. */
  readonly admit: (request: MessageOf<Type>) => Admission<Response>;
  /** The answer to a request that may throw when it is read. */
  readonly refusal: (request: MessageOf<Type>, correlationId: string, error: HookwrightError) => Response;
}

/**
 * Handlers of one kind of request on a bus. What listens to the requests beyond them is an observer. A handler that was
 * disposed of leaves, but for the last one: where no living one answers requests, it goes on refusing them.
 */
interface Handlers {
  subscribed: number;
  living: number;
  lastClosed: { leave(): void } | undefined;
}

const handlersOn = new WeakMap<Bus, Map<RequestType, Handlers>>();

const handlersOf = (bus: Bus, type: RequestType): Handlers => {
  const byType = handlersOn.get(bus) ?? new Map<RequestType, Handlers>();
  handlersOn.set(bus, byType);
  const handlers = byType.get(type) ?? { subscribed: 0, living: 0, lastClosed: undefined };
  byType.set(type, handlers);
  return handlers;
};

/** A request that needs hooks to be run: starts them and gives the response. */
type Job<Response> = () => Observable<Response>;

const isJob = <Response>(job: Job<Response> | undefined): job is Job<Response> => job !== undefined;

/** Answers the requests of one kind on one bus: every one of them, exactly once. */
export class RequestRoute<Type extends RequestType, Response extends HookMessage> {
  readonly #bus: Bus;
  readonly #exchange: Exchange<Type, Response>;
  readonly #handlers: Handlers;
  readonly #inFlight = new Map<string, Ticket>();
  readonly #left$ = new Subject<void>();
  readonly #ignoreCancels: () => void;
  #isClosed = false;

  constructor(bus: Bus, exchange: Exchange<Type, Response>) {
    this.#bus = bus;
    this.#exchange = exchange;
    this.#handlers = handlersOf(bus, exchange.request);
    if (this.#handlers.living > 0) throw handlerExists(exchange.request);
    this.#handlers.subscribed += 1;
    this.#handlers.living += 1;
    this.#handlers.lastClosed?.leave();
    this.#handlers.lastClosed = undefined;
    bus
      .stream(exchange.request)
      .pipe(
        takeUntil(this.#left$),
        map((request) => this.#admit(request)),
        filter(isJob),
        mergeMap((job) => job()),
      )
      .subscribe((response) => bus.publish(response));
    this.#ignoreCancels = bus.subscribe(MessageBusType.HOOK_EXECUTION_CANCEL, ({ correlationId }) =>
      this.#inFlight.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled')),
    );
  }

  /** Whether anybody but handlers hears what goes over the bus. */
  get isWatched(): boolean {
    const bus = this.#bus;
    const { request, response } = this.#exchange;
    return (
      bus.listenerCount(request) > this.#handlers.subscribed ||
      bus.listenerCount(response) > 0 ||
      bus.listenerCount('*') > 0
    );
  }

  /** Answers at once what can be answered at once, so that the stream carries only requests that take time. */
  #admit(request: MessageOf<Type>): Job<Response> | undefined {
    try {
      const { correlationId, handledBy } = request;
      if (typeof handledBy === 'string' || !isCorrelationId(correlationId)) return undefined;
      const issue = this.#exchange.issueWith(request);
      if (issue !== undefined) return this.#refuse(request, 'invalid_request', issue);
      if (this.#inFlight.has(correlationId)) {
        return this.#refuse(request, 'duplicate_request', `The request "${correlationId}" is still being answered`);
      }
      if (this.#isClosed) {
        const refuses = this.#handlers.lastClosed === this;
        return refuses ? this.#refuse(request, 'disposed', disposed().message) : undefined;
      }
      if (this.#inFlight.size >= MAX_IN_FLIGHT) {
        return this.#refuse(request, 'overloaded', `${MAX_IN_FLIGHT} requests are in flight; try again later`);
      }
      return this.#start(request, correlationId);
    } catch (error) {
      return this.#refuse(request, 'invalid_request', `the request cannot be read: ${describeThrown(error)}`);
    }
  }

  #start(request: MessageOf<Type>, correlationId: string): Job<Response> | undefined {
    const admission = this.#exchange.admit(request);
    if ('answer' in admission) {
      this.#bus.publish(admission.answer);
      return undefined;
    }
    if ('refused' in admission) {
      this.#bus.publish(this.#exchange.refusal(request, correlationId, admission.refused));
      return undefined;
    }
    const { timeoutMs, run, failed } = admission;
    const ticket = new Ticket({ timeoutMs }, true);
    this.#inFlight.set(correlationId, ticket);
    const depth = nestingDepth();
    return () => this.#respond(correlationId, () => performLater(depth, () => run(ticket)), failed);
  }

  /** One request in its own stream: whatever happens in it, the route goes on. */
  #respond(
    correlationId: string,
    perform: () => Promise<Response>,
    failed: (error: HookwrightError) => Response,
  ): Observable<Response> {
    return from(perform()).pipe(
      catchError((error: unknown) => of(failed(asError('internal_error', error)))),
      map((response) => {
        this.#inFlight.delete(correlationId);
        return response;
      }),
    );
  }

  #refuse(request: MessageOf<Type>, code: ErrorCode, message: string): undefined {
    const { correlationId } = request;
    this.#bus.publish(this.#exchange.refusal(request, correlationId, new HookwrightError(code, message)));
  }

  /** Answers what is in flight as disposed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#handlers.living -= 1;
    this.#ignoreCancels();
    if (this.#handlers.living === 0) this.#handlers.lastClosed = this;
    else this.leave();
    const reason = disposed();
    for (const ticket of [...this.#inFlight.values()]) ticket.end(reason);
  }

  /** Hears no more requests. Those that are in flight are answered all the same. */
  leave(): void {
    this.#handlers.subscribed -= 1;
    this.#left$.next();
  }
}

/** Hooks start after the publisher's call is over: what a hook publishes itself is then no nested message. */
const performLater = async <Response>(depth: number, run: () => Promise<Response>): Promise<Response> => {
  await undefined;
  return runAtDepth(depth, run);
};
