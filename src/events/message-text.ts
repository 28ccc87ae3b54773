// Encodes messages as text for transports, and decodes them.
import { isRecord } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { type HookMessage, type HookOutput, MessageBusType } from '../protocol/index.ts';
import { catalogue, type HookEventName, isHookEventName, type OutputOf } from './catalogue.ts';
import { DefaultHookOutput } from './outputs.ts';

const toPlainError = (_key: string, value: unknown): unknown => {
  if (!(value instanceof Error)) return value;
  const { name, message } = value;
  return { ...value, name, message };
};

/**
 * Encodes a message for a transport that leaves the process. Errors become plain objects. Throws for values that JSON
 * cannot represent.
 */
export const encodeMessage = (message: HookMessage): string => JSON.stringify(message, toPlainError);

/**
 * Parses a message from a transport and gives the merged output of a response its class again, with this process's
 * translator. The bus validates the message.
 *
 * @throws SyntaxError if the text is not JSON.
 */
export const decodeMessage = (text: string, translator?: AnyHookTranslator): unknown =>
  withOutputClass(JSON.parse(text), translator);

/** Replaces the merged output of a decoded response, which is a plain object, by an instance of its class. */
export const withOutputClass = (message: unknown, translator?: AnyHookTranslator): unknown => {
  if (!isRecord(message) || message.type !== MessageBusType.HOOK_EXECUTION_RESPONSE) return message;
  const { eventName, result } = message;
  if (!isHookEventName(eventName) || !isRecord(result)) return message;
  const finalOutput = isRecord(result.finalOutput)
    ? createHookOutput(eventName, result.finalOutput, translator)
    : undefined;
  return { ...message, result: { ...result, finalOutput }, ...('output' in message ? { output: finalOutput } : {}) };
};

/** For an unknown event, returns a `DefaultHookOutput`. */
export function createHookOutput<E extends HookEventName>(
  eventName: E,
  data?: HookOutput,
  translator?: AnyHookTranslator,
): OutputOf<E>;
export function createHookOutput(
  eventName: HookEventName,
  data?: HookOutput,
  translator?: AnyHookTranslator,
): DefaultHookOutput {
  const { output } = isHookEventName(eventName) ? catalogue[eventName] : { output: DefaultHookOutput };
  return new output(data, translator);
}
