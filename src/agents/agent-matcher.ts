// Compiles a matcher by the rules of one agent.
import type { RegexMatcher } from '../planner/index.ts';

export interface MatcherRule {
  /** Matchers that mean the same as no matcher. `trims` removes blanks before all comparisons. */
  readonly everything: readonly string[];
  readonly trims?: boolean;
  /** Matchers that list whole names; absent if every matcher is a pattern. */
  readonly names?: RegExp;
  readonly separators?: RegExp;
  readonly trimsNames?: boolean;
  readonly namesFirst?: boolean;
  /** Matchers that are patterns, not lists of names. */
  readonly notNames?: RegExp;
  /** Any other matcher is a pattern to find in the name, a pattern for the whole name, a plain text, or ignored. */
  readonly otherwise: 'anywhere' | 'whole' | 'equal' | 'ignored';
  readonly patternsOn?: 'all' | 'first';
  readonly language?: 'js' | 'rust';
  /** An invalid pattern is compared as text, never matches, or removes the hook. */
  readonly invalid: 'literal' | 'never' | 'left-out';
}

export type MatcherKind =
  | 'everything'
  | 'ignored'
  | 'names'
  | 'names or pattern'
  | 'pattern'
  | 'whole'
  | 'equal'
  | 'none';

export interface AgentMatcher {
  readonly kind: MatcherKind;
  readonly test: (names: readonly string[]) => boolean | 'timeout';
  readonly problem?: string;
  readonly leftOut?: boolean;
}

const createMatchAll = (kind: 'everything' | 'ignored'): AgentMatcher => ({ kind, test: () => true });

const rustUnsupportedSyntax = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</;

/** In Rust, flags stand at the beginning of the pattern. */
const translateRustPattern = (pattern: string): { pattern: string; flags: string } => {
  const [, flags = '', rest = pattern] = /^\(\?([imsx]+)\)([\s\S]*)$/.exec(pattern) ?? [];
  const translated = rest.replaceAll('(?P<', '(?<').replace(/\\z/g, '$').replace(/\\A/g, '^');
  return { pattern: translated, flags: flags.replace('x', '') };
};

const findPatternMistake = (pattern: string, flags: string, isRust: boolean): string | undefined => {
  if (isRust && rustUnsupportedSyntax.test(pattern))
    return 'look-around and back-references do not exist in its language';
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
};

const createInvalidMatcher = (matcher: string, rule: MatcherRule, why: string): AgentMatcher => {
  const problem = `the matcher "${matcher}" is no valid pattern (${why})`;
  if (rule.invalid === 'literal') {
    return { kind: 'equal', test: (names) => names.includes(matcher), problem: `${problem}; it is compared as text` };
  }
  const consequence = rule.invalid === 'never' ? 'it never matches' : 'the entry is left out';
  const leftOut = rule.invalid === 'left-out';
  return { kind: 'none', test: () => false, problem: `${problem}; ${consequence}`, leftOut };
};

const compilePattern = (matcher: string, rule: MatcherRule, matchRegex: RegexMatcher): AgentMatcher => {
  const isRust = rule.language === 'rust';
  const { pattern, flags } = isRust ? translateRustPattern(matcher) : { pattern: matcher, flags: '' };
  const why = findPatternMistake(pattern, flags, isRust);
  if (why !== undefined) return createInvalidMatcher(matcher, rule, why);
  const whole = rule.otherwise === 'whole' ? `^(?:${pattern})$` : pattern;
  return {
    kind: rule.otherwise === 'whole' ? 'whole' : 'pattern',
    test: (names) => {
      const tried = rule.patternsOn === 'first' ? names.slice(0, 1) : names;
      let result: boolean | 'timeout' = false;
      for (const name of tried) {
        const found = matchRegex(whole, name, flags === '' ? undefined : flags);
        if (found === true) return true;
        if (found === 'timeout') result = found;
      }
      return result;
    },
  };
};

export const compileAgentMatcher = (
  matcher: string | undefined,
  rule: MatcherRule,
  matchRegex: RegexMatcher,
): AgentMatcher => {
  if (matcher === undefined) return createMatchAll('everything');
  if (rule.otherwise === 'ignored') return createMatchAll('ignored');
  const text = rule.trims === true ? matcher.trim() : matcher;
  if (rule.everything.includes(text)) return createMatchAll('everything');
  const parts = text.split(rule.separators ?? /(?!)/).map((part) => (rule.trimsNames === true ? part.trim() : part));
  const isNamed = (names: readonly string[]): boolean => parts.some((part) => names.includes(part));
  if (rule.names?.test(text) === true) return { kind: 'names', test: isNamed };
  if (rule.otherwise === 'equal') return { kind: 'equal', test: (names) => names.includes(text) };
  const isPattern = rule.namesFirst !== true || rule.notNames?.test(text) === true;
  // An empty alternative would match every name.
  const rest = isPattern ? text : parts.filter((part) => part !== '').join('|');
  const pattern = compilePattern(rest === '' ? '(?!)' : rest, rule, matchRegex);
  if (isPattern) return pattern;
  return { ...pattern, kind: 'names or pattern', test: (names) => isNamed(names) || pattern.test(names) };
};
