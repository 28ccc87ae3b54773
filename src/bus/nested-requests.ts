import { HookwrightError } from '../errors.ts';
import { MessageBusType } from '../protocol/message-types.ts';
import type { HookExecutionResponse } from '../protocol/messages.ts';

/**
 * A request published while another is being delivered is nested in it. Without a bound, a listener that asks hooks
 * about every request it hears would never let `publish` return.
 */
export const MAX_NESTED_REQUESTS = 16;

export const tooDeeplyNested = (correlationId: string): HookwrightError =>
  new HookwrightError(
    'internal_error',
    `more than ${MAX_NESTED_REQUESTS} requests nest: each was published by a listener or hook of the one before`,
    { details: { type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId } },
  );

const readText = (message: object, field: string): string | undefined => {
  try {
    const value: unknown = Reflect.get(message, field);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The answer in place of a handler's, or nothing when a handler has said that it answers itself. */
export const refusal = (
  request: object,
  correlationId: string,
  { code, message }: HookwrightError,
): HookExecutionResponse | undefined => {
  if (readText(request, 'handledBy') !== undefined) return undefined;
  return {
    type: MessageBusType.HOOK_EXECUTION_RESPONSE,
    correlationId,
    eventName: readText(request, 'eventName') ?? '',
    success: false,
    result: { success: false, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
    error: { code, message },
  };
};
