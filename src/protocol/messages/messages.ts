// Schemas and types of all messages on the bus.
import * as z from 'zod/mini';
import { errorCodes } from '../../errors.ts';
import { isRecord, once } from '../../kit/index.ts';
import { faultCodes } from '../fault-and-notice-codes.ts';
import { isHookOutput } from '../hooks/output.ts';
import { toGuardSchema } from '../notices.ts';
import type { AbilityEventResult } from '../results/ability-result.ts';
import { rowOutcomes, rowSchema } from '../results/rows.ts';
import type { AggregatedHookResult } from '../results/run.ts';
import { ConfigSource } from '../settings/settings.ts';
import { isCorrelationId, MAX_CORRELATION_ID, MessageBusType } from './message-types.ts';

/** The consequence if no host answers: a verdict, no verdict, or a retry at another host. */
export const onLostWords = ['deny', 'ask', 'none', 'retry'] as const;
export type OnLost = (typeof onLostWords)[number];

const isRequestTimeout = (value: unknown): value is number => typeof value === 'number' && value > 0;

const isAggregate = (value: unknown): value is AggregatedHookResult =>
  isRecord(value) &&
  typeof value.success === 'boolean' &&
  typeof value.totalDuration === 'number' &&
  Array.isArray(value.allOutputs) &&
  value.allOutputs.every(isHookOutput) &&
  Array.isArray(value.errors) &&
  (value.finalOutput === undefined || isHookOutput(value.finalOutput));

const isAbilityResult = (value: unknown): value is AbilityEventResult =>
  isRecord(value) && typeof value.success === 'boolean' && Array.isArray(value.hook_signals);

export const messageSchemas = once(() => {
  const correlationId = toGuardSchema(isCorrelationId, `a string of 1 to ${MAX_CORRELATION_ID} characters`);
  const object = toGuardSchema<Readonly<Record<string, unknown>>>(isRecord, 'an object');
  const names = z.array(z.string());
  const host = z.optional(z.object({ id: z.string(), config: z.optional(z.string()) }));
  const timeoutMs = toGuardSchema(isRequestTimeout, 'a number of milliseconds over 0');
  const error = z.optional(z.object({ code: z.enum(errorCodes), message: z.string(), details: z.optional(object) }));
  const createMessageSchema = <Type extends MessageBusType, Fields extends Record<string, z.ZodMiniType>>(
    type: Type,
    fields: Fields,
  ) => z.object({ type: z.literal(type), correlationId, ...fields });
  const progress = {
    eventName: z.string(),
    hookId: z.string(),
    hookName: z.string(),
    source: z.enum(ConfigSource),
    position: z.number(),
    total: z.number(),
  };
  return {
    [MessageBusType.HOOK_EXECUTION_REQUEST]: createMessageSchema(MessageBusType.HOOK_EXECUTION_REQUEST, {
      eventName: z.string(),
      payload: z.optional(object),
      input: z.optional(object),
      timeoutMs: z.optional(timeoutMs),
      /** The engine that already handles the request; other engines ignore it. */
      handledBy: z.optional(z.string()),
      /** Only transports between processes read it; `event` selects the rule of the event. */
      onLost: z.optional(z.enum([...onLostWords, 'event'])),
    }),
    [MessageBusType.HOOK_EXECUTION_RESPONSE]: createMessageSchema(MessageBusType.HOOK_EXECUTION_RESPONSE, {
      eventName: z.string(),
      /** `false` if and only if `error` is set. `result.success` tells whether hooks failed. */
      success: z.boolean(),
      result: toGuardSchema(isAggregate, 'an aggregated result'),
      output: z.optional(toGuardSchema(isHookOutput, 'an answer of a hook')),
      error,
      handledBy: z.optional(z.string()),
      host,
    }),
    [MessageBusType.HOOK_EXECUTION_CANCEL]: createMessageSchema(MessageBusType.HOOK_EXECUTION_CANCEL, {}),
    [MessageBusType.HOOK_EXECUTION_TRACE]: createMessageSchema(MessageBusType.HOOK_EXECUTION_TRACE, {
      eventName: z.string(),
      /** The value compared with matchers, such as a tool name. */
      subject: z.optional(z.string()),
      mode: z.enum(['parallel', 'sequential', 'none']),
      startedAt: z.string(),
      durationMs: z.number(),
      budgetMs: z.optional(z.number()),
      rows: z.array(z.readonly(rowSchema())),
    }),
    [MessageBusType.HOOK_STARTED]: createMessageSchema(MessageBusType.HOOK_STARTED, progress),
    [MessageBusType.HOOK_FINISHED]: createMessageSchema(MessageBusType.HOOK_FINISHED, {
      ...progress,
      outcome: z.enum(rowOutcomes),
      code: z.optional(z.enum(faultCodes)),
      durationMs: z.number(),
    }),
    [MessageBusType.HOOK_SYSTEM_MESSAGE]: createMessageSchema(MessageBusType.HOOK_SYSTEM_MESSAGE, {
      eventName: z.string(),
      hookId: z.string(),
      hookName: z.string(),
      message: z.string(),
    }),
    [MessageBusType.HOOK_CONFIRMATION_REQUEST]: createMessageSchema(MessageBusType.HOOK_CONFIRMATION_REQUEST, {
      eventName: z.string(),
      reason: z.string(),
      toolName: z.optional(z.string()),
      toolInput: z.optional(object),
      /** An ISO 8601 time. Later answers are ignored. */
      expiresAt: z.string(),
    }),
    [MessageBusType.HOOK_CONFIRMATION_RESPONSE]: createMessageSchema(MessageBusType.HOOK_CONFIRMATION_RESPONSE, {
      approved: z.boolean(),
      by: z.optional(z.string()),
      reason: z.optional(z.string()),
      park: z.optional(z.boolean()),
      parked: z.optional(z.object({ id: z.string(), expiresAt: z.string() })),
    }),
    [MessageBusType.HOOKS_RELOADED]: createMessageSchema(MessageBusType.HOOKS_RELOADED, {
      added: names,
      removed: names,
      changed: names,
    }),
    [MessageBusType.ABILITY_EVENT_REQUEST]: createMessageSchema(MessageBusType.ABILITY_EVENT_REQUEST, {
      eventType: z.string(),
      context: object,
      blockingOnly: z.optional(z.boolean()),
      timeoutMs: z.optional(timeoutMs),
      handledBy: z.optional(z.string()),
    }),
    [MessageBusType.ABILITY_EVENT_RESPONSE]: createMessageSchema(MessageBusType.ABILITY_EVENT_RESPONSE, {
      eventType: z.string(),
      /** `false` if and only if `error` is set. If a hook made the event fail, only `result.success` is `false`. */
      success: z.boolean(),
      result: toGuardSchema(isAbilityResult, 'the result of an ability event'),
      error,
      handledBy: z.optional(z.string()),
      host,
    }),
  };
});

type MessageSchemas = ReturnType<typeof messageSchemas>;
type ReadonlyMessage<Message> = { readonly [Key in keyof Message]: Message[Key] };

export type MessageOf<Type extends MessageBusType> = ReadonlyMessage<z.infer<MessageSchemas[Type]>>;
export type HookMessage = { [Type in MessageBusType]: MessageOf<Type> }[MessageBusType];

export type HookExecutionRequest = MessageOf<'hook-execution-request'>;
export type HookExecutionResponse = MessageOf<'hook-execution-response'>;
export type HookExecutionTrace = MessageOf<'hook-execution-trace'>;
export type AbilityEventRequest = MessageOf<'ability-event-request'>;
export type AbilityEventResponse = MessageOf<'ability-event-response'>;
export type RequestMessage = HookExecutionRequest | AbilityEventRequest;
export type AnswerMessage = HookExecutionResponse | AbilityEventResponse;

export const readEventName = (message: RequestMessage | AnswerMessage): string =>
  'eventName' in message ? message.eventName : message.eventType;
