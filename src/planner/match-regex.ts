// Runs regular expressions of hooks within a time limit, because a pattern can be slow on purpose.
import { createContext, Script } from 'node:vm';
import { once } from '../kit/index.ts';

export const MAX_PATTERN_LENGTH = 500;
export const MAX_SUBJECT_LENGTH = 4_096;
export const MATCH_LIMIT_MS = 50;

export type RegexMatcher = (pattern: string, subject: string, flags?: string) => boolean | 'timeout';

/** The second try may take longer: on a busy machine the first may end before the pattern got its processor time. */
const RETRY_LIMIT_MS = 4 * MATCH_LIMIT_MS;

/** True if this process got less than 80 % of the processor during the first try. */
const gotLittleProcessorTime = (start: NodeJS.CpuUsage): boolean => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 < 0.8 * MATCH_LIMIT_MS;
};

/** `code` reads the values as global variables. */
const createTimedTest = <Values extends object>(code: string): ((values: Values) => boolean | 'timeout') => {
  const getScript = once(() => new Script(code));
  const getContext = once(createContext);
  const test = (values: Values, timeout: number): boolean | 'timeout' => {
    const start = process.cpuUsage();
    try {
      return getScript().runInContext(Object.assign(getContext(), values), { timeout }) === true;
    } catch {
      // The pattern timed out or overflowed the stack. `instanceof Error` is false for errors of another context.
      return timeout === MATCH_LIMIT_MS && gotLittleProcessorTime(start) ? test(values, RETRY_LIMIT_MS) : 'timeout';
    }
  };
  return (values) => test(values, MATCH_LIMIT_MS);
};

const testWithLimit = createTimedTest<{ pattern: string; subject: string; flags: string }>(
  'new RegExp(pattern, flags).test(subject)',
);

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

export const matchAnySubject = createTimedTest<{ pattern: string; subjects: readonly string[] }>(
  '{ const any = new RegExp(pattern); subjects.some((subject) => any.test(subject)); }',
);

/** Throws if the pattern is invalid. */
export const matchRegex: RegexMatcher = (pattern, subject, flags = '') => {
  if (pattern.length > MAX_PATTERN_LENGTH || subject.length > MAX_SUBJECT_LENGTH) return 'timeout';
  if (countOptionalParts(pattern) > MAX_OPTIONAL_PARTS) return 'timeout';
  if (isFastPattern(pattern) || isFastForSubject(pattern, subject)) return new RegExp(pattern, flags).test(subject);
  return testWithLimit({ pattern, subject, flags });
};
