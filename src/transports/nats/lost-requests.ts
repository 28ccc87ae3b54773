import type { ErrorCode } from '../../errors.ts';
import { catalogue, createHookOutput, isHookEventName } from '../../events/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import {
  type AnswerMessage,
  eventIn,
  exchanges,
  type HookOutput,
  MessageBusType,
  type OnLost,
  type RequestMessage,
} from '../../protocol/index.ts';

type Verdict = Exclude<OnLost, 'retry'>;

const outputs: { readonly [Wish in Verdict]: (reason: string) => HookOutput | undefined } = {
  deny: (reason) => ({ decision: 'deny', reason, hookSpecificOutput: { onFault: true } }),
  // Marked, because an `ask` that stands for a fault denies where no person can be asked.
  ask: (reason) => ({ decision: 'ask', reason, hookSpecificOutput: { onFault: true } }),
  none: () => undefined,
};

/** What a loss comes to; after another host was asked in vain it is what the event says. */
const verdictFor = (eventName: string, wish: OnLost | 'event'): Verdict => {
  if (wish !== 'retry' && wish !== 'event') return wish;
  return (isHookEventName(eventName) ? catalogue[eventName].onLost : undefined) ?? 'none';
};

export interface LostRequest {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The answer to a request that no host answered: an error, and the verdict that its requester wants in that case. */
export const lostAnswer = (
  request: RequestMessage,
  wish: OnLost | 'event',
  loss: LostRequest,
  translator?: AnyHookTranslator,
): AnswerMessage => {
  const { type, correlationId } = request;
  const eventName = eventIn(request);
  const refusal = exchanges[type].refusal(eventName, correlationId, loss);
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !isHookEventName(eventName)) return refusal;
  const verdict = verdictFor(eventName, wish);
  const given = outputs[verdict](
    `No hook host answered, so it ${verdict === 'ask' ? 'asks' : 'is denied'}: ${loss.message}`,
  );
  if (given === undefined) return refusal;
  const output = createHookOutput(eventName, given, translator);
  return { ...refusal, result: { ...refusal.result, finalOutput: output, allOutputs: [given] }, output };
};
