// The types of messages on the bus: requests, their responses, and notices about running hooks.
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

export const answerTypes = {
  [MessageBusType.HOOK_EXECUTION_REQUEST]: MessageBusType.HOOK_EXECUTION_RESPONSE,
  [MessageBusType.ABILITY_EVENT_REQUEST]: MessageBusType.ABILITY_EVENT_RESPONSE,
} as const;
export type RequestType = keyof typeof answerTypes;
export type AnswerType = (typeof answerTypes)[RequestType];

/** Confirmations are answered by a person, not by the engine. */
export const replyTypes = {
  ...answerTypes,
  [MessageBusType.HOOK_CONFIRMATION_REQUEST]: MessageBusType.HOOK_CONFIRMATION_RESPONSE,
} as const;

export type QuestionType = keyof typeof replyTypes;

// These are sets, because the operator `in` could throw another error if the stack overflows here.
const requestTypeNames: ReadonlySet<string> = new Set(Object.keys(answerTypes));
const answerTypeNames: ReadonlySet<string> = new Set(Object.values(answerTypes));
const questionTypeNames: ReadonlySet<string> = new Set(Object.keys(replyTypes));
const replyTypeSet: ReadonlySet<string> = new Set(Object.values(replyTypes));

export const isRequestType = (type: MessageBusType): type is RequestType => requestTypeNames.has(type);

export const isAnswerType = (type: MessageBusType): type is AnswerType => answerTypeNames.has(type);

export const isQuestionType = (type: MessageBusType): type is QuestionType => questionTypeNames.has(type);

export const isReplyType = (type: MessageBusType): boolean => replyTypeSet.has(type);

export const replyTypeNames = Object.values(replyTypes);

export const requestTypes: readonly RequestType[] = Object.values(MessageBusType).filter(isRequestType);

/** Longer ids are refused, because ids are compared, logged and stored. */
export const MAX_CORRELATION_ID = 256;

export const isCorrelationId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_CORRELATION_ID;
