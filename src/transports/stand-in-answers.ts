/** Creates answers in place of an answer that never came, or that is too long for the broker. */
import type { ErrorCode } from '../errors.ts';
import { catalogue, createHookOutput, type HookEventName, isHookEventName } from '../events/index.ts';
import { omitUndefined, shorten } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import {
  type AnswerMessage,
  exchanges,
  type HookOutput,
  isBlocking,
  MessageBusType,
  type OnLost,
  type RequestMessage,
  readEventName,
} from '../protocol/index.ts';

export interface RequestLoss {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export const createLostRequestAnswer = (
  request: RequestMessage,
  onLost: OnLost | 'event',
  loss: RequestLoss,
  translator?: AnyHookTranslator,
): AnswerMessage => {
  const { type, correlationId } = request;
  const eventName = readEventName(request);
  const refusal = exchanges[type].refusal(eventName, correlationId, loss);
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !isHookEventName(eventName)) return refusal;
  const verdict = chooseVerdictOfLostRequest(eventName, onLost);
  if (verdict === 'none') return refusal;
  const reason = `No hook host answered, so it ${verdict === 'ask' ? 'asks' : 'is denied'}: ${loss.message}`;
  // `onFault` marks the verdict as caused by a failure: an `ask` then denies if no person can be asked.
  const given = { decision: verdict, reason, hookSpecificOutput: { onFault: true } };
  const output = createHookOutput(eventName, given, translator);
  return { ...refusal, result: { ...refusal.result, finalOutput: output, allOutputs: [given] }, output };
};

/** `retry` has failed by now, so the verdict of the event applies. */
const chooseVerdictOfLostRequest = (eventName: HookEventName, onLost: OnLost | 'event'): Exclude<OnLost, 'retry'> =>
  onLost === 'retry' || onLost === 'event' ? (catalogue[eventName].onLost ?? 'none') : onLost;

export const createTooLargeAnswer = (answer: AnswerMessage, bytes: number, limit: number): AnswerMessage => {
  const message = `the answer has ${bytes} bytes, and the broker takes at most ${limit} (max_payload)`;
  const error = { code: 'transport_failed', message, details: { bytes, limit } } as const;
  const exchange = Object.values(exchanges).find(({ answer: type }) => type === answer.type);
  const refusal = exchange?.refusal(readEventName(answer), answer.correlationId, error) ?? answer;
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !('output' in answer)) return refusal;
  const output = keepOnlyVerdict(answer.output);
  return output === undefined ? refusal : { ...refusal, result: { ...refusal.result, finalOutput: output }, output };
};

/** A deny or a stop must not get lost with the text that makes the answer too long. */
const keepOnlyVerdict = (output: HookOutput | undefined): HookOutput | undefined => {
  if (output === undefined) return undefined;
  const isBlock = isBlocking(output.decision);
  const isStop = output.continue === false;
  if (!isBlock && !isStop) return undefined;
  return omitUndefined({
    decision: isBlock ? 'deny' : undefined,
    reason: output.reason && shorten(output.reason),
    continue: isStop ? false : undefined,
    stopReason: output.stopReason && shorten(output.stopReason),
  });
};
