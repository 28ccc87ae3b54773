import { describeThrown, describeValue, isRecord, suggestion } from '../kit/index.ts';
import { type HookMessage, isCorrelationId, MAX_CORRELATION_ID, MessageBusType } from '../protocol/index.ts';

const types: readonly string[] = Object.values(MessageBusType);
const known: ReadonlySet<unknown> = new Set(types);

export const isMessageType = (type: unknown): type is MessageBusType => known.has(type);

export const whyNotType = (type: unknown): string =>
  `expected a known message type, got ${describeValue(type)}${typeof type === 'string' ? suggestion(type, types) : ''}`;

/** Why this message cannot be delivered; `undefined` if it can. Additional fields are the concern of its listeners. */
export const whyNotDeliverable = (message: unknown): string | undefined => {
  try {
    if (!isRecord(message)) return `expected an object with type and correlationId, got ${describeValue(message)}`;
    const { type, correlationId } = message;
    if (!isMessageType(type)) return whyNotType(type);
    if (isCorrelationId(correlationId)) return undefined;
    const found =
      typeof correlationId === 'string' && correlationId.length > MAX_CORRELATION_ID
        ? `one of ${correlationId.length}`
        : describeValue(correlationId);
    return `${type}: expected a correlationId of 1 to ${MAX_CORRELATION_ID} characters, got ${found}`;
  } catch (error) {
    return `reading type and correlationId throws: ${describeThrown(error)}`;
  }
};

export const isDeliverable = (message: unknown): message is HookMessage => whyNotDeliverable(message) === undefined;
