import { HookwrightError } from '../errors.ts';
import { abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../events/ability-catalogue.ts';
import type { AbilityEventType } from '../events/ability-contexts.ts';
import { describeValue, suggestion } from '../kit/index.ts';
import { MessageBusType } from '../protocol/message-types.ts';
import { type AbilityEventRequest, type AbilityEventResponse, messageSchemas } from '../protocol/messages.ts';
import { type AbilityOutcome, brokenAbility } from './ability-firing.ts';
import type { AbilityPipeline } from './ability-pipeline.ts';
import type { Admission, Exchange } from './request-route.ts';

export const unsupportedAbilityEvent = (eventType: unknown): HookwrightError => {
  const name = typeof eventType === 'string' ? eventType : describeValue(eventType);
  const details = { eventType: name, known: abilityEventTypes };
  const message = `"${name}" is not an ability event${suggestion(name, abilityEventTypes)}`;
  return new HookwrightError('unsupported_event', message, { details });
};

/** The response to a request, or to a direct call that somebody watches. */
export const abilityResponse = (
  correlationId: string,
  eventType: string,
  { result, error }: AbilityOutcome,
): AbilityEventResponse => {
  const type = MessageBusType.ABILITY_EVENT_RESPONSE;
  if (error === undefined) return { type, correlationId, eventType, success: true, result };
  const { code, message, details } = error;
  return { type, correlationId, eventType, success: false, result, error: { code, message, details } };
};

const issueWith = (request: AbilityEventRequest): string | undefined => {
  const read = messageSchemas()[MessageBusType.ABILITY_EVENT_REQUEST].safeParse(request);
  if (read.success) return undefined;
  return read.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`).join('; ');
};

const admitEvent = <E extends AbilityEventType>(
  pipeline: AbilityPipeline,
  { correlationId, timeoutMs, blockingOnly, context: sent }: AbilityEventRequest,
  eventType: E,
): Admission<AbilityEventResponse> => {
  const read = abilityCatalogue[eventType].read(sent);
  if (!read.ok) return { refused: new HookwrightError('validation_failure', `${eventType}: ${read.message}`) };
  const { context } = read;
  const respond = (outcome: AbilityOutcome): AbilityEventResponse => abilityResponse(correlationId, eventType, outcome);
  try {
    const plan = pipeline.prepare(eventType, context, blockingOnly, correlationId);
    if ('result' in plan) return { answer: respond(plan) };
    return {
      timeoutMs,
      run: (ticket) =>
        pipeline.perform({ eventType, context, correlationId, ticket, plan, isChecked: true }).then(respond),
      failed: (error) => respond(brokenAbility(eventType, error)),
    };
  } catch (error) {
    return { answer: respond(pipeline.failed(eventType, error)) };
  }
};

/** The name a refusal repeats, from a request that may throw when it is read. */
const readableName = (request: AbilityEventRequest): string => {
  try {
    const { eventType } = request;
    return typeof eventType === 'string' ? eventType : describeValue(eventType);
  } catch {
    return 'unreadable';
  }
};

/** The pair of messages by which ability hooks are asked. */
export const abilityExchange = (
  pipeline: AbilityPipeline,
): Exchange<typeof MessageBusType.ABILITY_EVENT_REQUEST, AbilityEventResponse> => ({
  request: MessageBusType.ABILITY_EVENT_REQUEST,
  response: MessageBusType.ABILITY_EVENT_RESPONSE,
  issueWith,
  admit: (request) => {
    const { eventType } = request;
    return isAbilityEventType(eventType)
      ? admitEvent(pipeline, request, eventType)
      : { refused: unsupportedAbilityEvent(eventType) };
  },
  refusal: (request, correlationId, error) =>
    abilityResponse(correlationId, readableName(request), brokenAbility(readableName(request), error)),
});
