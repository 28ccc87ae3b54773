import { catalogue, type HookEventName, type PayloadOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { isMergedByAgent } from '../merging/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  isOfUserOrSystem,
  trustRank,
} from '../protocol/index.ts';
import type { Plan } from './firing.ts';

/** A function without `onFault` counts as one: only the call that it saw may run. */
const isGuard = (hook: HookConfig): boolean => {
  const { recheck, onFault, action } = hook;
  if (recheck === true) return true;
  return onFault === undefined ? action !== undefined : onFault !== 'allow';
};

const isAskedOnce = ({ recheck, advisory }: HookConfig): boolean => recheck === false || advisory === true;

/** Hooks whose answers are merged as by their own agent run once, as there. */
const mayBeAsked = (hook: HookConfig): boolean =>
  !isAskedOnce(hook) && (isGuard(hook) || isOfUserOrSystem(hook)) && !isMergedByAgent(hook);

/** Whether any hook of a plan may have to run twice: none if nothing can be rewritten. */
export const mayRecheck = (eventName: HookEventName, hooks: readonly HookConfig[]): boolean =>
  catalogue[eventName]?.rewritten !== undefined && hooks.some(mayBeAsked);

/** Whether a call was judged before, so that hooks must no longer change it. */
export const isRecheck = (eventName: HookEventName, payload: object): boolean =>
  isRecord(payload) && payload.recheck === true && catalogue[eventName]?.rewritten !== undefined;

/** Payloads are plain JSON. If only the order of members differs, a guard runs once too often. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The answer of a hook if it may change anything, unlike plain text and the answer of a failed hook. */
const answerOf = ({ success, outputFormat, output }: HookExecutionResult): HookOutput | undefined =>
  success && outputFormat !== 'text' ? output : undefined;

/**
 * Guards that approved something else than what is going to happen: in parallel, or because a later hook of the sequence
 * rewrote it. A hook of the user or the system is a guard wherever a less trusted hook rewrote. A hook has seen its
 * own changes.
 */
export const recheckPayloadOf = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  { hooks, sequential }: Plan,
  results: readonly HookExecutionResult[],
  merged: HookOutput | undefined,
): { readonly hookIndexes: readonly number[]; readonly payload: PayloadOf<E> } | undefined => {
  const { rewritten } = catalogue[eventName];
  if (rewritten === undefined || merged === undefined) return undefined;
  const final = rewritten(payload, merged);
  if (final === payload) return undefined;
  const after = (before: PayloadOf<E>, result: HookExecutionResult): PayloadOf<E> => {
    const output = answerOf(result);
    return output === undefined ? before : rewritten(before, output);
  };
  let current = payload;
  const seen = results.map((result) => {
    const mine = after(current, result);
    if (sequential) current = mine;
    return mine;
  });
  const rewriters = hooks.filter((_hook, index) => results[index] && after(payload, results[index]) !== payload);
  const hookIndexes = hooks.flatMap((hook, index) => {
    if (isAskedOnce(hook) || isSame(seen[index], final)) return [];
    const isOverruled = isOfUserOrSystem(hook) && rewriters.some((rewriter) => trustRank(rewriter) > trustRank(hook));
    return isGuard(hook) || isOverruled ? [index] : [];
  });
  return hookIndexes.length === 0 ? undefined : { hookIndexes, payload: { ...final, recheck: true } };
};

/** Fields that still count when nothing can be changed any more. */
const lateFields = ['decision', 'reason', 'systemMessage', 'suppressOutput', 'continue', 'stopReason'];

const verdictIn = (output: HookOutput): HookOutput => {
  const verdict = Object.entries(output).filter(([field, value]) => lateFields.includes(field) && value !== undefined);
  const onFault = output.hookSpecificOutput?.onFault;
  // The mark of a fault belongs to the verdict.
  return { ...Object.fromEntries(verdict), ...(onFault === undefined ? {} : { hookSpecificOutput: { onFault } }) };
};

/** Of a second answer the verdict, its reason and its message count; its changes come too late. */
export const recheckAnswerOf = (result: HookExecutionResult): HookExecutionResult => {
  const { output } = result;
  return output === undefined ? { ...result, recheck: true } : { ...result, recheck: true, output: verdictIn(output) };
};

/** A second answer without the texts that the first one had already. */
export const withOnlyNewOutput = (
  second: HookExecutionResult,
  first: HookExecutionResult | undefined,
): HookExecutionResult => {
  const [before, now] = [first?.output, second.output];
  if (before === undefined || now === undefined) return second;
  const output = { ...now };
  if (now.reason === before.reason && now.decision === before.decision) delete output.reason;
  if (now.systemMessage === before.systemMessage) delete output.systemMessage;
  if (now.stopReason === before.stopReason && now.continue === before.continue) delete output.stopReason;
  return { ...second, output };
};
