// Runs regular expressions of hooks within a time limit, because they may be slow on purpose.
import { createContext, Script } from 'node:vm';

/** Longer patterns and subjects are not run; `MATCH_LIMIT_MS` limits the others. */
export const MAX_PATTERN = 500;
export const MAX_SUBJECT = 4_096;
export const MATCH_LIMIT_MS = 50;

/** Whether a pattern matches a subject, or `timeout`. */
export type RegexMatcher = (pattern: string, subject: string, flags?: string) => boolean | 'timeout';

const script = new Script('new RegExp(pattern, flags).test(subject)');
let sandbox: { pattern: string; subject: string; flags: string } | undefined;

const testWithLimit: RegexMatcher = (pattern, subject, flags = '') => {
  const values = { pattern, subject, flags };
  sandbox = sandbox === undefined ? Object.assign(createContext(values), values) : Object.assign(sandbox, values);
  try {
    return script.runInContext(sandbox, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    // Timeout or stack overflow. The error belongs to the other context, so `instanceof Error` is false.
    return 'timeout';
  }
};

/**
 * Patterns that are fast for every subject: no repetition or option, no look-around, no back-reference, and at most one
 * group, because the alternatives of several multiply. They run without a time limit, which costs a hundred times as
 * much.
 */
const isHarmless = (pattern: string): boolean => !/[*+?{]|\\[1-9k]|\(.*\(/s.test(pattern.replaceAll('(?:', '('));

/** One unbounded repetition takes quadratic time, which is nothing for a short subject. */
const isShort = (pattern: string, subject: string): boolean =>
  subject.length <= 256 && !/[{()]|\\[1-9k]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 1;

/**
 * V8 compiles a row of optional parts (`a?a?…`, `a{0,3}…`, `(a|)…`) in a time that grows with the ninth power of their
 * number, and no time limit interrupts it: 16 take 3 ms, 40 take 3 s, 60 half a minute.
 */
const MAX_OPTIONAL = 16;

const optionalParts = (pattern: string): number => {
  let parts = 0;
  for (const [part] of pattern.replaceAll('(?:', '(').matchAll(/\?|\{|\|(?=[|)])|\((?=\|)/g))
    parts += part === '{' ? 2 : 1;
  return parts;
};

const searchAll = new Script('{ const any = new RegExp(pattern); subjects.some((subject) => any.test(subject)); }');
let hall: { pattern: string; subjects: readonly string[] } | undefined;

/** Whether a pattern matches any subject, within one time limit for all. No subject may be too long. */
export const matchAny = (pattern: string, subjects: readonly string[]): boolean | 'timeout' => {
  const values = { pattern, subjects };
  hall = hall === undefined ? Object.assign(createContext(values), values) : Object.assign(hall, values);
  try {
    return searchAll.runInContext(hall, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    return 'timeout';
  }
};

/** Matches in this process, within a time limit. The pattern must be valid. */
export const matchRegex: RegexMatcher = (pattern, subject, flags = '') => {
  if (pattern.length > MAX_PATTERN || subject.length > MAX_SUBJECT) return 'timeout';
  if (optionalParts(pattern) > MAX_OPTIONAL) return 'timeout';
  if (isHarmless(pattern) || isShort(pattern, subject)) return new RegExp(pattern, flags).test(subject);
  return testWithLimit(pattern, subject, flags);
};
