// The two kinds of requests on the bus, agent events and ability events, and what differs between them.
import type { ErrorCode } from '../../errors.ts';
import { createFailedAbilityResult } from '../results/ability-result.ts';
import { answerTypes, isAnswerType, isRequestType, MessageBusType, type RequestType } from './message-types.ts';
import type { AnswerMessage, HookMessage, MessageOf, RequestMessage } from './messages.ts';

export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface Exchange<Request extends RequestType = RequestType> {
  readonly request: Request;
  readonly answer: (typeof answerTypes)[Request];
  readonly eventField: 'eventName' | 'eventType';
  readonly refusal: (eventName: string, correlationId: string, error: WireError) => AnswerMessage;
}

type Exchanges = { readonly [Type in RequestType]: Exchange<Type> };

export const exchanges: Exchanges = {
  [MessageBusType.HOOK_EXECUTION_REQUEST]: {
    request: MessageBusType.HOOK_EXECUTION_REQUEST,
    answer: answerTypes[MessageBusType.HOOK_EXECUTION_REQUEST],
    eventField: 'eventName',
    refusal: (eventName, correlationId, error) => ({
      type: MessageBusType.HOOK_EXECUTION_RESPONSE,
      correlationId,
      eventName,
      success: false,
      result: { success: false, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
      error,
    }),
  },
  [MessageBusType.ABILITY_EVENT_REQUEST]: {
    request: MessageBusType.ABILITY_EVENT_REQUEST,
    answer: answerTypes[MessageBusType.ABILITY_EVENT_REQUEST],
    eventField: 'eventType',
    refusal: (eventType, correlationId, error) => ({
      type: MessageBusType.ABILITY_EVENT_RESPONSE,
      correlationId,
      eventType,
      success: false,
      result: createFailedAbilityResult(eventType, error),
      error,
    }),
  },
};

export const readPayload = (request: RequestMessage): Readonly<Record<string, unknown>> =>
  ('context' in request ? request.context : (request.payload ?? request.input)) ?? {};

export const createMessageGuards = <Type extends RequestType>(type: Type) => ({
  isRequest: (message: HookMessage): message is HookMessage & MessageOf<Type> => message.type === type,
  isAnswer: (message: HookMessage): message is HookMessage & MessageOf<(typeof answerTypes)[Type]> =>
    message.type === answerTypes[type],
});

export const isRequest = (message: HookMessage): message is RequestMessage => isRequestType(message.type);

export const isAnswer = (message: HookMessage): message is AnswerMessage => isAnswerType(message.type);
