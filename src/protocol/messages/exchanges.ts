// Pairs of a request and its answer on the bus, and what differs between the families of events.
import type { ErrorCode } from '../../errors.ts';
import { failedAbilityResult } from '../results/ability-result.ts';
import { answerTypes, isAnswerType, isRequestType, MessageBusType, type RequestType } from './message-types.ts';
import type { AnswerMessage, HookMessage, MessageOf, RequestMessage } from './messages.ts';

/** An error of a request in its wire format. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A request type and its answer type. Everything that differs between families is here. */
export interface Exchange<Request extends RequestType = RequestType> {
  readonly request: Request;
  readonly answer: (typeof answerTypes)[Request];
  /** The member with the name of the event, in the request and in its answer. */
  readonly eventField: 'eventName' | 'eventType';
  /** The answer if the engine could not run the hooks. */
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
      result: failedAbilityResult(eventType, error),
      error,
    }),
  },
};

/** The payload of a request, under any of its names. */
export const payloadIn = (request: RequestMessage): Readonly<Record<string, unknown>> =>
  ('context' in request ? request.context : (request.payload ?? request.input)) ?? {};

/** Type guards for the messages of one exchange. */
export const messagesOf = <Type extends RequestType>(type: Type) => ({
  isRequest: (message: HookMessage): message is HookMessage & MessageOf<Type> => message.type === type,
  isAnswer: (message: HookMessage): message is HookMessage & MessageOf<(typeof answerTypes)[Type]> =>
    message.type === answerTypes[type],
});

export const isRequest = (message: HookMessage): message is RequestMessage => isRequestType(message.type);

export const isAnswer = (message: HookMessage): message is AnswerMessage => isAnswerType(message.type);
