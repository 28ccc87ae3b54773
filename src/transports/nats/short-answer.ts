import { shorten } from '../../kit/index.ts';
import {
  type AnswerMessage,
  eventIn,
  exchanges,
  type HookOutput,
  isBlocking,
  MessageBusType,
} from '../../protocol/index.ts';

const LONG = 2_000;

const shortText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : shorten(text, LONG);

/** The verdict alone, where it is against something: that must not be lost with what makes the answer so long. */
const verdictOnly = (output: HookOutput | undefined): HookOutput | undefined => {
  if (output === undefined) return undefined;
  const isBlock = isBlocking(output.decision);
  const isStop = output.continue === false;
  if (!isBlock && !isStop) return undefined;
  const reason = shortText(output.reason);
  const stopReason = shortText(output.stopReason);
  return {
    ...(isBlock ? { decision: 'deny' } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(isStop ? { continue: false } : {}),
    ...(stopReason === undefined ? {} : { stopReason }),
  };
};

/** In place of an answer that is too long for the broker: why, and a block where there is one. */
export const shortAnswer = (answer: AnswerMessage, bytes: number, limit: number): AnswerMessage => {
  const message = `the answer has ${bytes} bytes, and the broker takes at most ${limit} (max_payload)`;
  const error = { code: 'transport_failed', message, details: { bytes, limit } } as const;
  const exchange = Object.values(exchanges).find(({ answer: type }) => type === answer.type);
  const refusal = exchange?.refusal(eventIn(answer), answer.correlationId, error) ?? answer;
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !('output' in answer)) return refusal;
  const output = verdictOnly(answer.output);
  return output === undefined ? refusal : { ...refusal, result: { ...refusal.result, finalOutput: output }, output };
};
