// Compiles the matcher of a hook into a test of a tool name or another subject.
import type { SubjectRule } from '../events/index.ts';
import { explainBadPattern } from '../kit/index.ts';
import { describeUnreadMatcher, type Notice, notice, suggestMatcherFix } from '../protocol/index.ts';
import { MAX_PATTERN_LENGTH, type RegexMatcher } from './match-regex.ts';

export type MatchResult = boolean | 'timeout';

export interface CompiledMatcher {
  readonly kind: 'everything' | 'words' | 'pattern' | 'literal' | 'exact';
  readonly test: (subject: string) => MatchResult;
  readonly warning?: Notice;
}

export const isForEverything = (matcher: string | undefined): boolean => ['', '*'].includes(matcher?.trim() ?? '');

const everythingMatcher: CompiledMatcher = { kind: 'everything', test: () => true };

/** Alternatives such as `read_file|write_file` need no regular expression. */
const plainWordsPattern = /^[\w-]+(?:\|[\w-]+)*$/;

const createLiteralMatcher = (
  text: string,
  problem: string,
  isGuard: boolean,
  isSame: (subject: string) => boolean,
): CompiledMatcher => ({
  kind: isGuard ? 'everything' : 'literal',
  test: isGuard ? () => true : isSame,
  warning: notice('invalid-matcher', describeUnreadMatcher(text, problem, isGuard), { fix: suggestMatcherFix(text) }),
});

const createTooLongMatcher = (length: number): CompiledMatcher => ({
  kind: 'pattern',
  test: () => 'timeout',
  warning: notice(
    'matcher-timeout',
    `the matcher has ${length} characters; regular expressions of more than ${MAX_PATTERN_LENGTH} are not run`,
  ),
});

const compilePattern = (matcher: string, matchRegex: RegexMatcher, isGuard: boolean): CompiledMatcher => {
  if (plainWordsPattern.test(matcher)) {
    const words = matcher.split('|');
    return { kind: 'words', test: (subject) => words.some((word) => subject.includes(word)) };
  }
  if (matcher.length > MAX_PATTERN_LENGTH) return createTooLongMatcher(matcher.length);
  const problem = explainBadPattern(matcher);
  if (problem !== undefined) return createLiteralMatcher(matcher, problem, isGuard, (subject) => subject === matcher);
  return { kind: 'pattern', test: (subject) => matchRegex(matcher, subject) };
};

const patternCharacters = /[\\^$.*+?()[\]{}|]/;

const compileExact = (matcher: string, matchRegex: RegexMatcher, isGuard: boolean): CompiledMatcher => {
  const wanted = matcher.toLowerCase();
  const isSame = (subject: string): boolean => subject.toLowerCase() === wanted;
  if (!patternCharacters.test(matcher)) return { kind: 'exact', test: isSame };
  if (matcher.length > MAX_PATTERN_LENGTH) return createTooLongMatcher(matcher.length);
  const problem = explainBadPattern(matcher);
  if (problem !== undefined) return createLiteralMatcher(matcher, problem, isGuard, isSame);
  const anchored = `^(?:${matcher})$`;
  return { kind: 'pattern', test: (subject) => isSame(subject) || matchRegex(anchored, subject, 'i') };
};

/**
 * A missing matcher and `*` match everything. An invalid matcher matches everything for a guard, and is compared
 * literally for any other hook.
 */
export const compileMatcher = (
  matcher: string | undefined,
  compare: SubjectRule<never>['compare'],
  matchRegex: RegexMatcher,
  isGuard = false,
): CompiledMatcher => {
  const trimmed = matcher?.trim() ?? '';
  if (isForEverything(trimmed)) return everythingMatcher;
  return compare === 'exact'
    ? compileExact(trimmed, matchRegex, isGuard)
    : compilePattern(trimmed, matchRegex, isGuard);
};
