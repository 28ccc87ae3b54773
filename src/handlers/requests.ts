import { EMPTY, map, mergeMap, Observable, of, Subject, takeUntil } from 'rxjs';
import type { Bus } from '../bus/index.ts';
import { HookwrightError } from '../errors.ts';
import { describeThrown, describeValue } from '../kit/index.ts';
import {
  type AnswerMessage,
  isCorrelationId,
  MessageBusType,
  messageSchemas,
  type RequestType,
} from '../protocol/index.ts';
import type { Engine } from './engine.ts';
import { disposed, unsupported } from './failures.ts';
import type { EventOf, Family, FamilyTypes, RequestOf } from './family.ts';
import type { InFlight } from './in-flight.ts';

/** Who answers a type of requests on a bus. Whoever was disposed of gives the place to the next who comes. */
interface Answering {
  readonly isClosed: boolean;
  leave(): void;
}

const answeringOn = new WeakMap<Bus, Map<RequestType, Answering>>();

/** Two engines would both answer, and the first answer would hide what the hooks of the other say. */
const takePlace = (bus: Bus, request: RequestType, newcomer: Answering): void => {
  const places = answeringOn.get(bus) ?? new Map<RequestType, Answering>();
  answeringOn.set(bus, places);
  const present = places.get(request);
  if (present?.isClosed === false) {
    const what = `Another engine answers ${request} on this bus already`;
    const fix = 'give this one a bus of its own, or dispose of the other first';
    throw new HookwrightError('handler_exists', `${what}; ${fix}`, { details: { request } });
  }
  present?.leave();
  places.set(request, newcomer);
};

const requestsOn = <F extends FamilyTypes>(bus: Bus, { exchange }: Family<F>): Observable<RequestOf<F>> =>
  new Observable((requests) => bus.serve(exchange.request, (request) => requests.next(request)));

/** Answers the requests of one family on one bus: every one of them, exactly once. */
export class Requests<F extends FamilyTypes> implements Answering {
  readonly #bus: Bus;
  readonly #family: Family<F>;
  readonly #engine: Engine<F>;
  readonly #inFlight: InFlight;
  readonly #left$ = new Subject<void>();
  readonly #ignoreCancels: () => void;
  #isClosed = false;

  constructor(bus: Bus, family: Family<F>, engine: Engine<F>, inFlight: InFlight) {
    this.#bus = bus;
    this.#family = family;
    this.#engine = engine;
    this.#inFlight = inFlight;
    takePlace(bus, family.exchange.request, this);
    this.#serve();
    this.#ignoreCancels = bus.subscribe(MessageBusType.HOOK_EXECUTION_CANCEL, ({ correlationId }) =>
      inFlight.cancel(correlationId),
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether anybody but this engine hears what goes over the bus. */
  get isWatched(): boolean {
    const { request, answer } = this.#family.exchange;
    return this.#bus.isWatched(request) || this.#bus.isWatched(answer);
  }

  #serve(): void {
    requestsOn(this.#bus, this.#family)
      .pipe(
        takeUntil(this.#left$),
        mergeMap((request) => this.#answer(request)),
      )
      .subscribe((answer) => this.#bus.publish(answer));
  }

  /** One request in its own stream: whatever happens in it, the others go on. */
  #answer(request: RequestOf<F>): Observable<AnswerMessage> {
    try {
      const { correlationId, handledBy } = request;
      if (typeof handledBy === 'string' || !isCorrelationId(correlationId)) return EMPTY;
      const problem = this.#issueWith(request) ?? this.#inFlight.whyNot(correlationId);
      if (problem !== undefined) return this.#refuse(request, problem);
      const eventName: unknown = Reflect.get(request, this.#family.exchange.eventField);
      if (!this.#family.isEvent(eventName)) return this.#refuse(request, unsupported(this.#family, eventName));
      return this.#fire(request, eventName);
    } catch (error) {
      const message = `the request cannot be read: ${describeThrown(error)}`;
      return this.#refuse(request, new HookwrightError('invalid_request', message));
    }
  }

  #fire<E extends EventOf<F>>(request: RequestOf<F>, eventName: E): Observable<AnswerMessage> {
    const { correlationId } = request;
    const { payload: sent, options } = this.#family.asked(request);
    const read = this.#family.read(eventName, sent);
    if (!read.ok) {
      return this.#refuse(request, new HookwrightError('validation_failure', `${eventName}: ${read.message}`));
    }
    const { payload } = read;
    return this.#engine({ eventName, payload, options, correlationId, isRequest: true }).pipe(
      map((outcome) => this.#family.answer(correlationId, eventName, outcome)),
    );
  }

  /** What is wrong with the request's own fields; its payload is the event's business. */
  #issueWith(request: RequestOf<F>): HookwrightError | undefined {
    if (this.#family.isPlain?.(request) === true) return undefined;
    const read = messageSchemas()[this.#family.exchange.request].safeParse(request);
    if (read.success) return undefined;
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
    return new HookwrightError('invalid_request', issues.join('; '));
  }

  #refuse(request: RequestOf<F>, { code, message, details }: HookwrightError): Observable<AnswerMessage> {
    const { exchange } = this.#family;
    const { correlationId } = request;
    return of(exchange.refusal(nameIn(request, exchange.eventField), correlationId, { code, message, details }));
  }

  /**
   * Answers what is in flight as disposed. What comes later it refuses, after all others who serve in this process; where
   * there may be others in other processes it leaves the requests to them.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ignoreCancels();
    this.leave();
    if (this.#bus.spansProcesses !== true) this.#serve();
    this.#inFlight.endAll(disposed());
  }

  /** Hears no more requests. Those that are in flight are answered all the same. */
  leave(): void {
    this.#left$.next();
  }
}

/** The name a refusal repeats, from a request that may throw when it is read. */
const nameIn = (request: object, field: string): string => {
  try {
    const name: unknown = Reflect.get(request, field);
    return typeof name === 'string' ? name : describeValue(name);
  } catch {
    return 'unreadable';
  }
};
