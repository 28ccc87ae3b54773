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

/**
 * What hook engines are asked with, and what they answer it with: one answer for each request. A further family of events
 * is a line here and its refusal in `exchanges.ts`; the bus, handlers, the recorder and replay read no other list.
 */
export const answerTypes = {
  [MessageBusType.HOOK_EXECUTION_REQUEST]: MessageBusType.HOOK_EXECUTION_RESPONSE,
  [MessageBusType.ABILITY_EVENT_REQUEST]: MessageBusType.ABILITY_EVENT_RESPONSE,
} as const;
export type RequestType = keyof typeof answerTypes;
export type AnswerType = (typeof answerTypes)[RequestType];

/** Everything that is asked and answered once, questions to a person included. */
export const replyTypes = {
  ...answerTypes,
  [MessageBusType.HOOK_CONFIRMATION_REQUEST]: MessageBusType.HOOK_CONFIRMATION_RESPONSE,
} as const;

export type QuestionType = keyof typeof replyTypes;

// Sets, not `in`: a bus whose stack runs over here must fail with nothing but that.
const requests: ReadonlySet<string> = new Set(Object.keys(answerTypes));
const answers: ReadonlySet<string> = new Set(Object.values(answerTypes));
const questions: ReadonlySet<string> = new Set(Object.keys(replyTypes));
const replies: ReadonlySet<string> = new Set(Object.values(replyTypes));

export const isRequestType = (type: MessageBusType): type is RequestType => requests.has(type);

export const isAnswerType = (type: MessageBusType): type is AnswerType => answers.has(type);

/** Whether it asks for one reply, of an engine or of a person. */
export const isQuestionType = (type: MessageBusType): type is QuestionType => questions.has(type);

/** Whether a correlation id gets exactly one of these. */
export const isReplyType = (type: MessageBusType): boolean => replies.has(type);

/** Every type of which an id gets exactly one. */
export const replyTypeNames = Object.values(replyTypes);

/** Those that ask an engine. */
export const requestTypes: readonly RequestType[] = Object.values(MessageBusType).filter(isRequestType);

/** A correlation id longer than this is refused: ids are compared, logged and kept. */
export const MAX_CORRELATION_ID = 256;

export const isCorrelationId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_CORRELATION_ID;
