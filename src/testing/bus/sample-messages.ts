import type { Bus } from '../../bus/index.ts';
import { MessageBusType, type MessageOf } from '../../protocol/index.ts';

export const {
  HOOK_EXECUTION_REQUEST: REQUEST,
  HOOK_EXECUTION_RESPONSE: RESPONSE,
  HOOK_SYSTEM_MESSAGE: NOTE,
  HOOK_CONFIRMATION_RESPONSE: ANSWER,
} = MessageBusType;

export const aRequest = (correlationId: string): MessageOf<typeof REQUEST> => ({
  type: REQUEST,
  correlationId,
  eventName: 'BeforeTool',
  payload: { tool_name: 'shell', tool_input: {} },
});

export const aResponse = (correlationId: string): MessageOf<typeof RESPONSE> => ({
  type: RESPONSE,
  correlationId,
  eventName: 'BeforeTool',
  success: true,
  result: { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
});

export const aRefusal = (
  correlationId: string,
  code: NonNullable<MessageOf<typeof RESPONSE>['error']>['code'],
): MessageOf<typeof RESPONSE> => ({
  ...aResponse(correlationId),
  success: false,
  result: { success: false, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
  error: { code, message: `refused: ${code}` },
});

export const aNote = (message: string): MessageOf<typeof NOTE> => ({
  type: NOTE,
  correlationId: 'note',
  eventName: 'BeforeTool',
  hookId: 'project:BeforeTool:guard',
  hookName: 'guard',
  message,
});

/** Answers every request the moment it arrives. */
export const answerAtOnce = (bus: Bus): (() => void) =>
  bus.subscribe(REQUEST, ({ correlationId }) => bus.publish(aResponse(correlationId)));

function pretend<T>(_value: unknown): asserts _value is T {}

/** What plain JavaScript may pass where the compiler would object. */
export const untyped = <T>(value: unknown): T => {
  pretend<T>(value);
  return value;
};

/** A turn of the event loop, after which every rejection and every RxJS rethrow has happened. */
export const aTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
