// Limits how many requests may be published from within listeners of other requests.
import { HookwrightError } from '../errors.ts';
import { attempt, textOf } from '../kit/index.ts';
import { type AnswerMessage, exchanges, type RequestType } from '../protocol/index.ts';

/**
 * Without this limit, a listener that publishes a request for each request it gets would keep `publish` from ever
 * returning.
 */
export const MAX_NESTED_REQUESTS = 16;

export const createNestingError = (type: RequestType, correlationId: string): HookwrightError =>
  new HookwrightError(
    'internal_error',
    `more than ${MAX_NESTED_REQUESTS} requests nest: each was published by a listener or hook of the one before`,
    { details: { type, correlationId } },
  );

const readTextField = (message: object, field: string): string | undefined =>
  attempt(() => textOf(Reflect.get(message, field)));

/** Returns `undefined` if the request has `handledBy`, because a handler will then answer it. */
export const createUnhandledRefusal = (
  type: RequestType,
  request: object,
  correlationId: string,
  { code, message }: HookwrightError,
): AnswerMessage | undefined =>
  readTextField(request, 'handledBy') === undefined
    ? exchanges[type].refusal(readTextField(request, exchanges[type].eventField) ?? '', correlationId, {
        code,
        message,
      })
    : undefined;
