import { catalogue, isHookEventName } from '../../events/index.ts';
import { compileMatcher, matchRegex } from '../../planner/index.ts';
import type { KnownTools } from './known-tools.ts';

/** Whether there is something that both matchers match, as far as it is known what there is to match. */
export const overlaps = (
  eventName: string,
  [one, other]: readonly [string | undefined, string | undefined],
  { names }: KnownTools,
): boolean => {
  const subject = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  if (subject === undefined || !isHookEventName(eventName) || one?.trim() === other?.trim()) return true;
  const [first, second] = [one, other].map((matcher) => compileMatcher(matcher, subject.compare, matchRegex));
  if (first?.kind === 'everything' || second?.kind === 'everything') return true;
  // Where nobody knows what there is, what either names is.
  const named = [one, other].flatMap((matcher) => (matcher ?? '').split('|'));
  const subjects = subject.from === 'toolName' ? names : (subject.words ?? named);
  // What takes too long on one text would on many: then it is told as an overlap, and the pattern itself elsewhere.
  return subjects.some((text) => {
    const matches = [first?.test(text), second?.test(text)];
    return matches.includes('timeout') || !matches.includes(false);
  });
};
