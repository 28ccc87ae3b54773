import { catchError, filter, from, map, mergeMap, type Observable, of } from 'rxjs';
import type { Bus } from '../bus/bus.ts';
import { type ErrorCode, HookwrightError } from '../errors.ts';
import { catalogue, type HookEventName, hookEventNames, isHookEventName } from '../events/catalogue.ts';
import { describeThrown, describeValue, isRecord } from '../protocol/json.ts';
import { isCorrelationId, MessageBusType } from '../protocol/message-types.ts';
import { type HookExecutionRequest, type HookExecutionResponse, messageSchemas } from '../protocol/messages.ts';
import { suggestion } from '../protocol/nearest.ts';
import { nestingDepth, runAtDepth } from '../runners/nesting.ts';
import { asError, broken, type DetailedResult, type EventPipeline, type Firing } from './event-pipeline.ts';
import { Ticket } from './ticket.ts';

/** Requests that may be in flight at once; one more is refused at once rather than piled up. */
const MAX_IN_FLIGHT = 20_000;

export const disposed = (): HookwrightError => new HookwrightError('disposed', 'The hook system has been disposed of');

export const unsupported = (eventName: string): HookwrightError => {
  const near = suggestion(String(eventName), hookEventNames);
  const details = { eventName, known: hookEventNames };
  return new HookwrightError('unsupported_event', `"${String(eventName)}" is not an event${near}`, { details });
};

/** The response to a request, or to a direct call that somebody watches. */
export const responseOf = <E extends HookEventName>(
  correlationId: string,
  eventName: string,
  { result, error }: DetailedResult<E>,
): HookExecutionResponse => {
  const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
  const { finalOutput: output } = result;
  if (error === undefined) {
    return output === undefined
      ? { type, correlationId, eventName, success: true, result }
      : { type, correlationId, eventName, success: true, result, output };
  }
  const { code, message, details } = error;
  const answer = { type, correlationId, eventName, success: false, result, error: { code, message, details } };
  return output === undefined ? answer : { ...answer, output };
};

/** What nearly every request looks like. Anything else is looked at in detail, to say what is wrong with it. */
const isPlainRequest = ({ eventName, payload, input, timeoutMs, handledBy }: HookExecutionRequest): boolean =>
  typeof eventName === 'string' &&
  isRecord(payload) &&
  input === undefined &&
  handledBy === undefined &&
  (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0));

/** What is wrong with a request's own fields; its payload is the event's business. */
const issueWith = (request: HookExecutionRequest): string | undefined => {
  if (isPlainRequest(request)) return undefined;
  const read = messageSchemas()[MessageBusType.HOOK_EXECUTION_REQUEST].safeParse(request);
  if (read.success) return undefined;
  return read.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`).join('; ');
};

/**
 * Handlers on each bus. What listens to requests beyond them is an observer. A handler that was disposed of goes on
 * refusing requests, but only the last one, and only where no living one answers them.
 */
const handlersOn = new WeakMap<Bus, { subscribed: number; living: number; lastClosed: RequestRoute | undefined }>();

/** A request that needs hooks to be run: starts them and gives the response. */
type Job = () => Observable<HookExecutionResponse>;

const isJob = (job: Job | undefined): job is Job => job !== undefined;

/** Answers the requests of one bus: every one of them, exactly once. */
export class RequestRoute {
  readonly #bus: Bus;
  readonly #pipeline: EventPipeline;
  readonly #inFlight = new Map<string, Ticket>();
  #isClosed = false;

  constructor(bus: Bus, pipeline: EventPipeline) {
    this.#bus = bus;
    this.#pipeline = pipeline;
    const { subscribed, living } = handlersOn.get(bus) ?? { subscribed: 0, living: 0 };
    handlersOn.set(bus, { subscribed: subscribed + 1, living: living + 1, lastClosed: undefined });
    bus
      .stream(MessageBusType.HOOK_EXECUTION_REQUEST)
      .pipe(
        map((request) => this.#admit(request)),
        filter(isJob),
        mergeMap((job) => job()),
      )
      .subscribe((response) => bus.publish(response));
    bus.subscribe(MessageBusType.HOOK_EXECUTION_CANCEL, ({ correlationId }) =>
      this.#inFlight.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled')),
    );
  }

  /** Whether anybody but handlers hears what goes over the bus. */
  get isWatched(): boolean {
    const bus = this.#bus;
    const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE } = MessageBusType;
    return (
      bus.listenerCount(HOOK_EXECUTION_REQUEST) > (handlersOn.get(bus)?.subscribed ?? 0) ||
      bus.listenerCount(HOOK_EXECUTION_RESPONSE) > 0 ||
      bus.listenerCount('*') > 0
    );
  }

  /** Answers at once what can be answered at once, so that the stream carries only requests that take time. */
  #admit(request: HookExecutionRequest): Job | undefined {
    try {
      if (typeof request.handledBy === 'string' || !isCorrelationId(request.correlationId)) return undefined;
      const issue = issueWith(request);
      if (issue !== undefined) return this.#refuse(request, 'invalid_request', issue);
      const { correlationId, eventName } = request;
      if (this.#inFlight.has(correlationId)) {
        return this.#refuse(request, 'duplicate_request', `The request "${correlationId}" is still being answered`);
      }
      if (this.#isClosed) {
        const refuses = handlersOn.get(this.#bus)?.lastClosed === this;
        return refuses ? this.#refuse(request, 'disposed', disposed().message) : undefined;
      }
      if (!isHookEventName(eventName))
        return this.#refuse(request, 'unsupported_event', unsupported(eventName).message);
      if (this.#inFlight.size >= MAX_IN_FLIGHT) {
        return this.#refuse(request, 'overloaded', `${MAX_IN_FLIGHT} requests are in flight; try again later`);
      }
      return this.#admitEvent(request, eventName);
    } catch (error) {
      return this.#refuse(request, 'invalid_request', `the request cannot be read: ${describeThrown(error)}`);
    }
  }

  #admitEvent<E extends HookEventName>(request: HookExecutionRequest, eventName: E): Job | undefined {
    const { correlationId, timeoutMs } = request;
    const read = catalogue[eventName].read(request.payload ?? request.input ?? {});
    if (!read.ok) return this.#refuse(request, 'validation_failure', `${eventName}: ${read.message}`);
    const { payload } = read;
    try {
      const planned = this.#pipeline.prepare(eventName, payload, correlationId);
      if (planned !== undefined && !('plan' in planned)) {
        this.#bus.publish(responseOf(correlationId, eventName, planned));
        return undefined;
      }
    } catch (error) {
      this.#bus.publish(responseOf(correlationId, eventName, this.#pipeline.failed(eventName, error)));
      return undefined;
    }
    const ticket = new Ticket({ timeoutMs }, true);
    this.#inFlight.set(correlationId, ticket);
    const depth = nestingDepth();
    return () => this.#respond({ eventName, payload, correlationId, ticket, isChecked: true }, depth);
  }

  /** One request in its own stream: whatever happens in it, the route goes on. */
  #respond<E extends HookEventName>(
    firing: Firing<E> & { correlationId: string },
    depth: number,
  ): Observable<HookExecutionResponse> {
    const { correlationId, eventName } = firing;
    return from(this.#performLater(firing, depth)).pipe(
      catchError((error: unknown) => of(broken<E>(asError('internal_error', error)))),
      map((detailed) => {
        this.#inFlight.delete(correlationId);
        return responseOf(correlationId, eventName, detailed);
      }),
    );
  }

  /** Hooks start after the publisher's call is over: what a hook publishes itself is then no nested message. */
  async #performLater<E extends HookEventName>(firing: Firing<E>, depth: number): Promise<DetailedResult<E>> {
    await undefined;
    return runAtDepth(depth, () => this.#pipeline.perform(firing, (detailed) => detailed));
  }

  #refuse(request: HookExecutionRequest, code: ErrorCode, message: string): undefined {
    const { correlationId, eventName } = readableParts(request);
    this.#bus.publish(responseOf(correlationId, eventName, broken(new HookwrightError(code, message))));
  }

  /** Answers what is in flight as disposed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const handlers = handlersOn.get(this.#bus);
    if (handlers !== undefined) {
      handlers.living -= 1;
      if (handlers.living === 0) handlers.lastClosed = this;
    }
    const reason = disposed();
    for (const ticket of [...this.#inFlight.values()]) ticket.end(reason);
  }
}

/** The parts a refusal repeats, from a request that may throw when it is read. */
const readableParts = (request: HookExecutionRequest): { correlationId: string; eventName: string } => {
  const { correlationId } = request;
  try {
    const { eventName } = request;
    return { correlationId, eventName: typeof eventName === 'string' ? eventName : describeValue(eventName) };
  } catch {
    return { correlationId, eventName: 'unreadable' };
  }
};
