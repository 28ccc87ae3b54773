// Finds the guards that must judge a tool call again because another hook changed it.
import { catalogue, type HookEventName, type PayloadOf } from '../events/index.ts';
import { hasSameJsonText, isRecord } from '../kit/index.ts';
import { isMergedByAgent } from '../merging/index.ts';
import {
  getDistrustRank,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  isOfUserOrSystem,
} from '../protocol/index.ts';
import type { Plan } from './firing.ts';

/** A function hook without `onFault` is treated as a guard, because it approved only the call that it saw. */
const isTreatedAsGuard = (hook: HookConfig): boolean => {
  const { recheck, onFault, action } = hook;
  if (recheck === true) return true;
  return onFault === undefined ? action !== undefined : onFault !== 'allow';
};

const runsOnlyOnce = ({ recheck, advisory }: HookConfig): boolean => recheck === false || advisory === true;

/** Hooks whose answers are merged by another agent's rules run once, as they do in that agent. */
const mayBeRechecked = (hook: HookConfig): boolean =>
  !runsOnlyOnce(hook) && (isTreatedAsGuard(hook) || isOfUserOrSystem(hook)) && !isMergedByAgent(hook);

export const mayRecheck = (eventName: HookEventName, hooks: readonly HookConfig[]): boolean =>
  catalogue[eventName]?.rewritten !== undefined && hooks.some(mayBeRechecked);

export const isRecheck = (eventName: HookEventName, payload: object): boolean =>
  isRecord(payload) && payload.recheck === true && catalogue[eventName]?.rewritten !== undefined;

/** Returns `undefined` for plain text and for answers of failed hooks, which change nothing. */
const readChangingAnswer = ({ success, outputFormat, output }: HookExecutionResult): HookOutput | undefined =>
  success && outputFormat !== 'text' ? output : undefined;

/**
 * Finds the guards that approved a call which other hooks then changed. A hook of the user or the system is treated as
 * a guard if a less trusted hook changed the call.
 */
export const findGuardRecheck = <E extends HookEventName>(
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
    const output = readChangingAnswer(result);
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
    // Texts that differ only in the order of keys cause a needless recheck, which does no harm.
    if (runsOnlyOnce(hook) || hasSameJsonText(seen[index], final)) return [];
    const isOverruled =
      isOfUserOrSystem(hook) && rewriters.some((rewriter) => getDistrustRank(rewriter) > getDistrustRank(hook));
    return isTreatedAsGuard(hook) || isOverruled ? [index] : [];
  });
  return hookIndexes.length === 0 ? undefined : { hookIndexes, payload: { ...final, recheck: true } };
};

const verdictFields = ['decision', 'reason', 'systemMessage', 'suppressOutput', 'continue', 'stopReason'];

const readVerdictFields = (output: HookOutput): HookOutput => {
  const verdict = Object.entries(output).filter(
    ([field, value]) => verdictFields.includes(field) && value !== undefined,
  );
  const onFault = output.hookSpecificOutput?.onFault;
  // `onFault` marks a verdict that a fault caused, so the two must stay together.
  return { ...Object.fromEntries(verdict), ...(onFault === undefined ? {} : { hookSpecificOutput: { onFault } }) };
};

/** Keeps only the verdict and its texts, because changes of a second run come too late. */
export const toRecheckResult = (result: HookExecutionResult): HookExecutionResult => {
  const { output } = result;
  return output === undefined
    ? { ...result, recheck: true }
    : { ...result, recheck: true, output: readVerdictFields(output) };
};

export const withoutRepeatedTexts = (
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
