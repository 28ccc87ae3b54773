import { HookwrightError } from '../errors.ts';
import { type AnswerMessage, exchanges, type RequestType } from '../protocol/index.ts';

/**
 * A request published while another is being delivered is nested in it. Without a bound, a listener that asks hooks
 * about every request it hears would never let `publish` return.
 */
export const MAX_NESTED_REQUESTS = 16;

export const tooDeeplyNested = (type: RequestType, correlationId: string): HookwrightError =>
  new HookwrightError(
    'internal_error',
    `more than ${MAX_NESTED_REQUESTS} requests nest: each was published by a listener or hook of the one before`,
    { details: { type, correlationId } },
  );

const readText = (message: object, field: string): string | undefined => {
  try {
    const value: unknown = Reflect.get(message, field);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The answer in place of a handler's; `undefined` if the request has its handler already. */
export const nestedRequestRefusal = (
  type: RequestType,
  request: object,
  correlationId: string,
  { code, message }: HookwrightError,
): AnswerMessage | undefined =>
  readText(request, 'handledBy') === undefined
    ? exchanges[type].refusal(readText(request, exchanges[type].eventField) ?? '', correlationId, { code, message })
    : undefined;
