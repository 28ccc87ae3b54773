import { type HookExecutionResult, type Notice, notice } from '../protocol/index.ts';
import { catalogue, isHookEventName } from './catalogue.ts';

const fits = (named: string, eventName: string): boolean => {
  const names = isHookEventName(eventName) ? [eventName, ...(catalogue[eventName].alsoCalled ?? [])] : [eventName];
  return names.some((name) => name.toLowerCase() === named.toLowerCase());
};

const noticeOf = (named: string, eventName: string): Notice =>
  notice('other-event', `hookEventName says "${named}", but the answer is to ${eventName}; it counts all the same`, {
    fix: `write "${eventName}", or leave it out`,
    detail: { named, eventName },
  });

/** Notes that an answer names another event than the one it was asked about. What it says counts as it stands. */
export const withEventNotice = (result: HookExecutionResult): HookExecutionResult => {
  const named = result.output?.hookSpecificOutput?.hookEventName;
  if (typeof named !== 'string' || fits(named, result.eventName)) return result;
  return { ...result, warnings: [...(result.warnings ?? []), noticeOf(named, result.eventName)] };
};
