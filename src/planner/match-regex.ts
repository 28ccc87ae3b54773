// Runs regular expressions of hooks within a time limit, because a pattern can be slow on purpose.
import { createContext, Script } from 'node:vm';

export const MAX_PATTERN_LENGTH = 500;
export const MAX_SUBJECT_LENGTH = 4_096;
export const MATCH_LIMIT_MS = 50;

export type RegexMatcher = (pattern: string, subject: string, flags?: string) => boolean | 'timeout';

const testScript = new Script('new RegExp(pattern, flags).test(subject)');
let patternContext: { pattern: string; subject: string; flags: string } | undefined;

const testWithLimit: RegexMatcher = (pattern, subject, flags = '') => {
  const values = { pattern, subject, flags };
  patternContext =
    patternContext === undefined ? Object.assign(createContext(values), values) : Object.assign(patternContext, values);
  try {
    return testScript.runInContext(patternContext, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    // The pattern timed out or overflowed the stack. `instanceof Error` is false for errors of another context.
    return 'timeout';
  }
};

/**
 * Patterns without repetition, look-around and back-reference, and with at most one group, are fast for every
 * subject. Without a time limit they run a hundred times faster.
 */
const isFastPattern = (pattern: string): boolean => !/[*+?{]|\\[1-9k]|\(.*\(/s.test(pattern.replaceAll('(?:', '('));

/** One unbounded repetition takes quadratic time, which is little for a short subject. */
const isFastForSubject = (pattern: string, subject: string): boolean =>
  subject.length <= 256 && !/[{()]|\\[1-9k]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 1;

/**
 * V8 compiles optional parts such as `a?a?` in a time that grows with the ninth power of their number. A time limit
 * does not interrupt it: 16 parts take 3 ms, 40 parts 3 s.
 */
const MAX_OPTIONAL_PARTS = 16;

const countOptionalParts = (pattern: string): number => {
  let parts = 0;
  for (const [part] of pattern.replaceAll('(?:', '(').matchAll(/\?|\{|\|(?=[|)])|\((?=\|)/g))
    parts += part === '{' ? 2 : 1;
  return parts;
};

const anySubjectScript = new Script(
  '{ const any = new RegExp(pattern); subjects.some((subject) => any.test(subject)); }',
);
let subjectsContext: { pattern: string; subjects: readonly string[] } | undefined;

/** Tests all subjects within one time limit. */
export const matchAnySubject = (pattern: string, subjects: readonly string[]): boolean | 'timeout' => {
  const values = { pattern, subjects };
  subjectsContext =
    subjectsContext === undefined
      ? Object.assign(createContext(values), values)
      : Object.assign(subjectsContext, values);
  try {
    return anySubjectScript.runInContext(subjectsContext, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    return 'timeout';
  }
};

/** Throws if the pattern is invalid. */
export const matchRegex: RegexMatcher = (pattern, subject, flags = '') => {
  if (pattern.length > MAX_PATTERN_LENGTH || subject.length > MAX_SUBJECT_LENGTH) return 'timeout';
  if (countOptionalParts(pattern) > MAX_OPTIONAL_PARTS) return 'timeout';
  if (isFastPattern(pattern) || isFastForSubject(pattern, subject)) return new RegExp(pattern, flags).test(subject);
  return testWithLimit(pattern, subject, flags);
};
