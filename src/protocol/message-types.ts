export const MessageBusType = {
  HOOK_EXECUTION_REQUEST: 'hook-execution-request',
  HOOK_EXECUTION_RESPONSE: 'hook-execution-response',
  HOOK_EXECUTION_CANCEL: 'hook-execution-cancel',
  HOOK_EXECUTION_TRACE: 'hook-execution-trace',
  HOOK_STARTED: 'hook-started',
  HOOK_FINISHED: 'hook-finished',
  HOOK_SYSTEM_MESSAGE: 'hook-system-message',
  HOOK_CONFIRMATION_REQUEST: 'hook-confirmation-request',
  HOOK_CONFIRMATION_RESPONSE: 'hook-confirmation-response',
  HOOKS_RELOADED: 'hooks-reloaded',
  ABILITY_EVENT_REQUEST: 'ability-event-request',
  ABILITY_EVENT_RESPONSE: 'ability-event-response',
} as const;
export type MessageBusType = (typeof MessageBusType)[keyof typeof MessageBusType];

/** Messages that ask whoever handles them, and what they are answered with: one answer each. */
export const answerTypes = {
  [MessageBusType.HOOK_EXECUTION_REQUEST]: MessageBusType.HOOK_EXECUTION_RESPONSE,
  [MessageBusType.ABILITY_EVENT_REQUEST]: MessageBusType.ABILITY_EVENT_RESPONSE,
} as const;
export type RequestType = keyof typeof answerTypes;
export type AnswerType = (typeof answerTypes)[RequestType];

/** Those that ask. */
export const requestTypes = [MessageBusType.HOOK_EXECUTION_REQUEST, MessageBusType.ABILITY_EVENT_REQUEST] as const;

export const isRequestType = (type: MessageBusType): type is RequestType =>
  type === MessageBusType.HOOK_EXECUTION_REQUEST || type === MessageBusType.ABILITY_EVENT_REQUEST;

export const isAnswerType = (type: MessageBusType): type is AnswerType =>
  type === MessageBusType.HOOK_EXECUTION_RESPONSE || type === MessageBusType.ABILITY_EVENT_RESPONSE;

/** A correlation id longer than this is refused: ids are compared, logged and kept. */
export const MAX_CORRELATION_ID = 256;

export const isCorrelationId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_CORRELATION_ID;
