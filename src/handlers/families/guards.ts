import { catalogue, type HookEventName, type PayloadOf } from '../../events/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  isOfUserOrSystem,
  originOf,
  trustRank,
} from '../../protocol/index.ts';
import type { Plan, SecondRound } from '../family.ts';

/** Whether a hook of another agent is to be judged as there. */
export const isFaithful = (hook: HookConfig): boolean => originOf(hook)?.dialect?.merge !== undefined;

const isGuard = ({ recheck, onFault = 'allow' }: HookConfig): boolean => recheck === true || onFault !== 'allow';

/** Hooks that are to be judged as their own agent does are asked once, as there. */
const mayBeAsked = (hook: HookConfig): boolean =>
  hook.recheck !== false && hook.advisory !== true && (isGuard(hook) || isOfUserOrSystem(hook)) && !isFaithful(hook);

/** Whether any hook of a plan may have to be asked twice. Where nothing can be rewritten, none has. */
export const mayAskAgain = (eventName: HookEventName, { hooks }: Plan): boolean =>
  catalogue[eventName].rewritten !== undefined && hooks.some(mayBeAsked);

/** Payloads are plain JSON. Where only the order of members differs a guard is asked once too often, which costs nothing. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The answer of a hook, if it may change anything: what a fault left behind and plain text do not. */
const answerOf = ({ success, outputFormat, output }: HookExecutionResult): HookOutput | undefined =>
  success && outputFormat !== 'text' ? output : undefined;

/**
 * Guards that approved something else than what is going to happen: in parallel, or because a later hook of the sequence
 * rewrote it. A hook of the user or the system is a guard wherever somebody less trusted rewrote. What a hook made of the
 * call itself it has seen.
 */
export const askAgain = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  { hooks, sequential }: Plan,
  results: readonly HookExecutionResult[],
  merged: HookOutput | undefined,
): SecondRound<PayloadOf<E>> | undefined => {
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
  const rewriters = hooks.filter((_hook, place) => {
    const result = results[place];
    return result !== undefined && after(payload, result) !== payload;
  });
  const places = [...hooks.entries()].flatMap(([place, hook]) => {
    if (hook.recheck === false || hook.advisory === true || isSame(seen[place], final)) return [];
    const isOverruled = isOfUserOrSystem(hook) && rewriters.some((rewriter) => trustRank(rewriter) > trustRank(hook));
    return isGuard(hook) || isOverruled ? [place] : [];
  });
  return places.length === 0 ? undefined : { places, payload: { ...final, recheck: true } };
};
