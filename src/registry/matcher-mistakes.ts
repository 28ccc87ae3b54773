// Reports matchers that do not do what their writer meant. Apart from the reader of settings, which is loaded on demand.
import { catalogue, isHookEventName } from '../events/index.ts';
import { explainBadPattern, isRecord } from '../kit/index.ts';
import {
  describeUnreadMatcher,
  isGuardEntry,
  type SettingsFinding,
  suggestMatcher,
  suggestMatcherFix,
} from '../protocol/index.ts';

/** Finds a matcher that is invalid or has no effect. The hook is kept: as a guard it then runs for every call. */
export const findMatcherMistake = (
  eventName: string,
  matcher: string,
  path: string,
  entries: readonly unknown[],
): SettingsFinding | undefined => {
  const text = matcher.trim();
  if (!isHookEventName(eventName) || text === '' || text === '*') return undefined;
  // The matcher of an entry of another agent is read by that agent's rules.
  const isOurs = !entries.some((entry) => isRecord(entry) && entry.agent !== undefined);
  const { subject } = catalogue[eventName];
  if (subject === undefined) {
    if (!isOurs) return undefined;
    const message = `${path} has no effect: ${eventName} has nothing to compare it with, so the hooks always run`;
    return { code: 'no-effect', skipped: false, path, message, hint: 'remove the matcher' };
  }
  // The path of a file may begin with a slash.
  const mayBePath = text.startsWith('/') && subject.field !== 'tool_name';
  const hint = isOurs && !mayBePath ? suggestMatcher(text) : undefined;
  if (hint !== undefined) {
    const message = `${path}: ${JSON.stringify(text)} is one regular expression, and no tool has such a name`;
    return { code: 'invalid-matcher', skipped: false, path, message, hint };
  }
  const problem = explainBadPattern(text);
  if (problem === undefined) return undefined;
  const isGuard = entries.some((entry) => isRecord(entry) && isGuardEntry(entry));
  const message = `${path}: ${describeUnreadMatcher(text, problem, isGuard)}`;
  return { code: 'invalid-matcher', skipped: false, path, message, hint: suggestMatcherFix(text) };
};
