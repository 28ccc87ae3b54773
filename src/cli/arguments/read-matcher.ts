/** Describes in words how a matcher is read, and whether it matches a given subject. */
import { catalogue, isAbilityEventType, isHookEventName, type SubjectRule } from '../../events/index.ts';
import { findNearestName } from '../../kit/index.ts';
import { type CompiledMatcher, compileMatcher, matchRegex } from '../../planner/index.ts';
import { suggestMatcher } from '../../protocol/index.ts';

export interface ExplainedMatcher {
  readonly kind: CompiledMatcher['kind'] | 'ignored' | 'globs';
  readonly text: string;
  readonly matches?: boolean | 'timeout' | undefined;
  readonly fix?: string;
}

type MatcherSubject = Pick<SubjectRule<never>, 'from' | 'compare'>;

const subjectPhrases = { toolName: 'the name of the tool', trigger: 'the value of the event' } as const;

const describeMatcher = (
  matcher: string,
  { kind, warning }: CompiledMatcher,
  { from, compare }: MatcherSubject,
): string => {
  const shown = JSON.stringify(matcher);
  const of = subjectPhrases[from];
  switch (kind) {
    case 'everything':
      return warning === undefined
        ? 'none: it matches everything'
        : `${shown}, which cannot be read: the guard runs for every call`;
    case 'words':
      return matcher.includes('|')
        ? `${shown}, read as the words ${matcher.split('|').join(', ')}: one of them must occur in ${of}`
        : `${shown}, read as a word that must occur in ${of}`;
    case 'pattern':
      return compare === 'exact'
        ? `${shown}, read as a regular expression that must match ${of} as a whole, ignoring case`
        : `${shown}, read as a regular expression that may match anywhere in ${of}`;
    case 'literal':
      return `${shown}, compared literally with ${of}, because it is not a valid regular expression`;
    case 'exact':
      return `${shown}, compared with ${of} as a whole, ignoring case`;
  }
};

const describeMatch = (subject: string, matches: boolean | 'timeout'): string => {
  if (matches === 'timeout') return `matching takes too long on ${JSON.stringify(subject)}`;
  return matches ? `${JSON.stringify(subject)} matches` : `${JSON.stringify(subject)} does not match`;
};

const findLikelyMistake = (matcher: string, subject: string, { compare }: MatcherSubject): string | undefined => {
  const words = matcher.split('|');
  if (compare === 'exact') {
    const isPart = words.some((word) => word !== '' && subject.toLowerCase().includes(word.toLowerCase()));
    return isPart || findNearestName(subject, words) !== undefined
      ? `the whole value is compared: write ${subject}`
      : undefined;
  }
  const pattern = suggestMatcher(matcher);
  if (pattern !== undefined) return pattern;
  const sameButForCase = words.find((word) => subject.toLowerCase().includes(word.toLowerCase()));
  if (sameButForCase !== undefined && sameButForCase !== '') return `case matters here: write ${subject}`;
  return findNearestName(subject, words) === undefined ? undefined : `if ${subject} is meant, write ${subject}`;
};

export const explainMatcher = (
  eventName: string,
  matcher: string | undefined,
  context: { readonly toolName?: string | undefined; readonly trigger?: string | undefined },
  isGuard = false,
): ExplainedMatcher => {
  const rule = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  const trimmed = matcher?.trim() ?? '';
  if (isAbilityEventType(eventName)) return { kind: 'globs', text: trimmed };
  if (rule === undefined) {
    const isIgnored = trimmed !== '' && trimmed !== '*' && isHookEventName(eventName);
    if (!isIgnored) return { kind: 'everything', text: 'none: it matches everything' };
    return {
      kind: 'ignored',
      text: `${JSON.stringify(trimmed)}, ignored: ${eventName} has nothing to compare it with`,
    };
  }
  const compiled = compileMatcher(matcher, rule.compare, matchRegex, isGuard);
  const text = describeMatcher(trimmed, compiled, rule);
  const subject = context[rule.from];
  if (subject === undefined || compiled.kind === 'everything') return { kind: compiled.kind, text };
  const matches = compiled.test(subject);
  const fix = matches === false ? findLikelyMistake(trimmed, subject, rule) : undefined;
  const reading = { kind: compiled.kind, text: `${text}; ${describeMatch(subject, matches)}`, matches };
  return fix === undefined ? reading : { ...reading, fix };
};
