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

/** A correlation id longer than this is refused: ids are compared, logged and kept. */
export const MAX_CORRELATION_ID = 256;

export const isCorrelationId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_CORRELATION_ID;
