import { createContext, Script } from 'node:vm';

/** Above these a regular expression is not run at all; see `MATCH_LIMIT_MS` for the rest. */
export const MAX_PATTERN = 500;
export const MAX_SUBJECT = 4_096;
export const MATCH_LIMIT_MS = 50;

/** Whether a pattern is found in a subject, or why that could not be found out in time. */
export type RegexMatcher = (pattern: string, subject: string, flags?: string) => boolean | 'timeout';

const script = new Script('new RegExp(pattern, flags).test(subject)');
let sandbox: { pattern: string; subject: string; flags: string } | undefined;

const testWithLimit: RegexMatcher = (pattern, subject, flags = '') => {
  const values = { pattern, subject, flags };
  sandbox = sandbox === undefined ? Object.assign(createContext(values), values) : Object.assign(sandbox, values);
  try {
    return script.runInContext(sandbox, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    // Out of time, or out of stack. The error is of the other context, so `instanceof Error` is false for it.
    return 'timeout';
  }
};

/**
 * Patterns that cannot take long whatever the subject: nothing repeated or optional, no look-around, no back-reference,
 * and at most one group, because the alternatives of several multiply. They skip the guarded run, which costs a hundred
 * times a plain match.
 */
const isHarmless = (pattern: string): boolean => !/[*+?{]|\\[1-9k]|\(.*\(/s.test(pattern.replaceAll('(?:', '('));

/** One repetition without an end costs at most the square of the subject's length, which is nothing for a short one. */
const isShort = (pattern: string, subject: string): boolean =>
  subject.length <= 256 && !/[{()]|\\[1-9k]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 1;

/**
 * V8 compiles a row of optional characters (`a?a?…`, `a{0,3}…`, `(a|)…`) in a time that grows with the ninth power of
 * their number, and no time limit interrupts it: 16 take 3 ms, 40 take 3 s, 60 half a minute.
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

/** Whether a pattern is found in any of the subjects, none of them too long, within one time limit for all of them. */
export const matchAny = (pattern: string, subjects: readonly string[]): boolean | 'timeout' => {
  const values = { pattern, subjects };
  hall = hall === undefined ? Object.assign(createContext(values), values) : Object.assign(hall, values);
  try {
    return searchAll.runInContext(hall, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    return 'timeout';
  }
};

/** Searches a subject within a time limit, in this process. The pattern must be a valid regular expression. */
export const matchRegex: RegexMatcher = (pattern, subject, flags = '') => {
  if (pattern.length > MAX_PATTERN || subject.length > MAX_SUBJECT) return 'timeout';
  if (optionalParts(pattern) > MAX_OPTIONAL) return 'timeout';
  if (isHarmless(pattern) || isShort(pattern, subject)) return new RegExp(pattern, flags).test(subject);
  return testWithLimit(pattern, subject, flags);
};
