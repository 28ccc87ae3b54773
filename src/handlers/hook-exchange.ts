import { HookwrightError } from '../errors.ts';
import { catalogue, type HookEventName, hookEventNames, isHookEventName } from '../events/catalogue.ts';
import { describeValue, isRecord, suggestion } from '../kit/index.ts';
import { MessageBusType } from '../protocol/message-types.ts';
import { type HookExecutionRequest, type HookExecutionResponse, messageSchemas } from '../protocol/messages.ts';
import { broken, type DetailedResult, type EventPipeline } from './event-pipeline.ts';
import type { Admission, Exchange } from './request-route.ts';

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

/** The name a refusal repeats, from a request that may throw when it is read. */
const readableName = (request: HookExecutionRequest): string => {
  try {
    const { eventName } = request;
    return typeof eventName === 'string' ? eventName : describeValue(eventName);
  } catch {
    return 'unreadable';
  }
};

const admitEvent = <E extends HookEventName>(
  pipeline: EventPipeline,
  request: HookExecutionRequest,
  eventName: E,
): Admission<HookExecutionResponse> => {
  const { correlationId, timeoutMs } = request;
  const read = catalogue[eventName].read(request.payload ?? request.input ?? {});
  if (!read.ok) return { refused: new HookwrightError('validation_failure', `${eventName}: ${read.message}`) };
  const { payload } = read;
  const respond = (detailed: DetailedResult<E>): HookExecutionResponse =>
    responseOf(correlationId, eventName, detailed);
  try {
    const planned = pipeline.prepare(eventName, payload, correlationId);
    if (planned !== undefined && !('plan' in planned)) return { answer: respond(planned) };
  } catch (error) {
    return { answer: respond(pipeline.failed(eventName, error)) };
  }
  return {
    timeoutMs,
    run: (ticket) => pipeline.perform({ eventName, payload, correlationId, ticket, isChecked: true }, respond),
    failed: (error) => respond(broken<E>(error)),
  };
};

/** The pair of messages by which hooks are asked. */
export const hookExchange = (
  pipeline: EventPipeline,
): Exchange<typeof MessageBusType.HOOK_EXECUTION_REQUEST, HookExecutionResponse> => ({
  request: MessageBusType.HOOK_EXECUTION_REQUEST,
  response: MessageBusType.HOOK_EXECUTION_RESPONSE,
  issueWith,
  admit: (request) => {
    const { eventName } = request;
    return isHookEventName(eventName) ? admitEvent(pipeline, request, eventName) : { refused: unsupported(eventName) };
  },
  refusal: (request, correlationId, error) => responseOf(correlationId, readableName(request), broken(error)),
});
