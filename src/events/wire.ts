import { isRecord } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { type HookMessage, MessageBusType } from '../protocol/index.ts';
import { isHookEventName } from './catalogue.ts';
import { createHookOutput } from './create-output.ts';

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
