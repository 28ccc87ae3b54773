// Answers requests for hooks that arrive on the bus, each exactly once.
import { mergeMap, Subject } from 'rxjs';
import type { Bus } from '../bus/index.ts';
import { HookwrightError } from '../errors.ts';
import { attempt, describeThrown, describeValue, type MaybePromise } from '../kit/index.ts';
import {
  type AnswerMessage,
  isCorrelationId,
  MessageBusType,
  messageSchemas,
  type RequestMessage,
  type RequestType,
} from '../protocol/index.ts';
import { createUnsupportedEventError, type EventKind, type Firing, type FiringOutcome, toWireError } from './firing.ts';
import type { EventsInFlight } from './lifetime.ts';

type RequestHandler = (firing: Firing<object>, answer: (outcome: MaybePromise<FiringOutcome<object>>) => void) => void;

export class RequestResponder {
  readonly #bus: Bus;
  readonly #kind: EventKind;
  readonly #inFlight: EventsInFlight;
  readonly #handle: RequestHandler;
  /** Pending responses. Each request has its own inner stream, so that a failed response does not end the others. */
  readonly #waiting$ = new Subject<Promise<AnswerMessage>>();
  #stopServing: () => void;
  readonly #ignoreCancels: () => void;
  isClosed = false;

  constructor(bus: Bus, kind: EventKind, inFlight: EventsInFlight, handle: RequestHandler) {
    this.#bus = bus;
    this.#kind = kind;
    this.#inFlight = inFlight;
    this.#handle = handle;
    replaceResponder(bus, kind.exchange.request, this);
    this.#waiting$.pipe(mergeMap((answer) => answer)).subscribe((answer) => this.#bus.publish(answer));
    this.#stopServing = this.#serve();
    this.#ignoreCancels = bus.subscribe(MessageBusType.HOOK_EXECUTION_CANCEL, ({ correlationId }) =>
      inFlight.cancel(correlationId),
    );
  }

  #serve(): () => void {
    return this.#bus.serve(this.#kind.exchange.request, (request) => {
      try {
        this.#receive(request);
      } catch (error) {
        const message = `the request cannot be read: ${describeThrown(error)}`;
        this.#refuse(request, new HookwrightError('invalid_request', message));
      }
    });
  }

  #receive(request: RequestMessage): void {
    const { correlationId } = request;
    if (typeof request.handledBy === 'string' || !isCorrelationId(correlationId)) return;
    const problem = this.#problemOf(request) ?? this.#inFlight.refusalOf(correlationId);
    const firing = problem ?? this.#readRequest(request);
    if (HookwrightError.is(firing)) {
      this.#refuse(request, firing);
      return;
    }
    this.#handle(firing, (outcome) => {
      if (outcome instanceof Promise) {
        this.#waiting$.next(outcome.then((settled) => firing.response(correlationId, settled)));
      } else this.#bus.publish(firing.response(correlationId, outcome));
    });
  }

  #readRequest(request: RequestMessage): Firing<object> | HookwrightError {
    const firing = this.#kind.readRequest(request);
    if (typeof firing === 'object') return firing;
    const eventName: unknown = Reflect.get(request, this.#kind.exchange.eventField);
    if (firing === undefined) return createUnsupportedEventError(this.#kind, eventName);
    return new HookwrightError('validation_failure', `${String(eventName)}: ${firing}`);
  }

  #problemOf(request: RequestMessage): HookwrightError | undefined {
    if (this.#kind.isSurelyValid?.(request) === true) return undefined;
    const read = messageSchemas()[this.#kind.exchange.request].safeParse(request);
    if (read.success) return undefined;
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
    return new HookwrightError('invalid_request', issues.join('; '));
  }

  #refuse(request: RequestMessage, error: HookwrightError): void {
    const { exchange } = this.#kind;
    const eventName = readEventName(request, exchange.eventField);
    this.#bus.publish(exchange.refusal(eventName, request.correlationId, toWireError(error)));
  }

  /** Later requests are refused, except on a bus between processes, where another engine may answer them. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#ignoreCancels();
    this.leave();
    if (this.#bus.spansProcesses !== true) this.#stopServing = this.#serve();
  }

  leave(): void {
    this.#stopServing();
  }
}

const respondersByBus = new WeakMap<Bus, Map<RequestType, RequestResponder>>();

/** If two engines answered on one bus, the first response would hide a deny of the other. */
const replaceResponder = (bus: Bus, request: RequestType, newcomer: RequestResponder): void => {
  const byType = respondersByBus.get(bus) ?? new Map<RequestType, RequestResponder>();
  respondersByBus.set(bus, byType);
  const present = byType.get(request);
  if (present?.isClosed === false) {
    const what = `Another engine answers ${request} on this bus already`;
    const fix = 'give this one a bus of its own, or dispose of the other first';
    throw new HookwrightError('handler_exists', `${what}; ${fix}`, { details: { request } });
  }
  present?.leave();
  byType.set(request, newcomer);
};

/** Returns the `traceparent` header for the hooks of a request, or `undefined`. */
export type TraceParentFinder = (correlationId: string) => string | undefined;

const traceParentFinders = new WeakMap<Bus, TraceParentFinder>();

/** Gives the hooks of requests on this bus a parent span, until the returned function is called. */
export const provideTraceParents = (bus: Bus, traceParentOf: TraceParentFinder): (() => void) => {
  traceParentFinders.set(bus, traceParentOf);
  return () => {
    if (traceParentFinders.get(bus) === traceParentOf) traceParentFinders.delete(bus);
  };
};

export const findTraceParent = (bus: Bus | undefined, correlationId: string | undefined): string | undefined =>
  bus === undefined || correlationId === undefined ? undefined : traceParentFinders.get(bus)?.(correlationId);

/** A getter of the request may throw. */
const readEventName = (request: object, field: string): string => {
  const name = attempt(() => {
    const found: unknown = Reflect.get(request, field);
    return typeof found === 'string' ? found : describeValue(found);
  });
  return name ?? 'unreadable';
};
