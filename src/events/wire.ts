import { isRecord } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { type HookMessage, type HookOutput, MessageBusType } from '../protocol/index.ts';
import { catalogue, type HookEventName, isHookEventName, type OutputOf } from './catalogue.ts';
import { DefaultHookOutput } from './outputs.ts';

const plainErrors = (_key: string, value: unknown): unknown => {
  if (!(value instanceof Error)) return value;
  const { name, message } = value;
  return { ...value, name, message };
};

/** A message as plain JSON, for a transport that leaves the process. Errors become data. Throws for what JSON cannot carry. */
export const encodeMessage = (message: HookMessage): string => JSON.stringify(message, plainErrors);

/**
 * What a transport received, ready for a bus: the merged output of a response has its class again, and asks the translator
 * of this process, where it has one of its own. Whether it is a message at all is the bus's to say.
 *
 * @throws SyntaxError when it is no JSON.
 */
export const decodeMessage = (text: string, translator?: AnyHookTranslator): unknown =>
  withOutputs(JSON.parse(text), translator);

/** The same for what was parsed already. */
export const withOutputs = (message: unknown, translator?: AnyHookTranslator): unknown => {
  if (!isRecord(message) || message.type !== MessageBusType.HOOK_EXECUTION_RESPONSE) return message;
  const { eventName, result } = message;
  if (!isHookEventName(eventName) || !isRecord(result)) return message;
  const finalOutput = isRecord(result.finalOutput)
    ? createHookOutput(eventName, result.finalOutput, translator)
    : undefined;
  return { ...message, result: { ...result, finalOutput }, ...('output' in message ? { output: finalOutput } : {}) };
};

/** Builds the class that belongs to the event; for an unknown event the class that all others extend. */
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
