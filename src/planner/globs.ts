// Matches ability ids and changed paths with globs, within a time limit.
import picomatch from 'picomatch';
import { MATCH_LIMIT_MS, MAX_SUBJECT_LENGTH, matchAnySubject } from './match-regex.ts';
import type { MatchResult } from './matcher.ts';
import { matchesWildcards } from './wildcards.ts';

/** Larger globs can take seconds to compile or to compare. */
const MAX_GLOB_LENGTH = 500;
const MAX_GLOB_GROUPS = 8;

/** In globs for `paths` a slash separates directories; in globs for ability `ids` it is an ordinary character. */
export type GlobKind = 'ids' | 'paths';

export type GlobMatcher = (subjects: readonly string[]) => MatchResult;

export const explainUnusedGlob = (glob: string): string | undefined => {
  if (glob.length > MAX_GLOB_LENGTH) return `has ${glob.length} characters; at most ${MAX_GLOB_LENGTH} are compared`;
  const groups = glob.match(/[{(]/g)?.length ?? 0;
  return groups > MAX_GLOB_GROUPS ? `has ${groups} groups; at most ${MAX_GLOB_GROUPS} are compared` : undefined;
};

const explainBadIdGlob = (glob: string): string | undefined => {
  if (/\s/.test(glob)) return 'contains a blank, which no ability id has';
  if (/^\/.*\/$/.test(glob)) return `is no regular expression; without its slashes it is a glob: ${glob.slice(1, -1)}`;
  if (/^\^|\$$/.test(glob)) return 'is written as a regular expression; in a glob, * is any text';
  const separator = [',', '|'].find((sign) => glob.includes(sign) && !/[{}()[\]]/.test(glob));
  if (separator === undefined) return undefined;
  return `contains ${separator === ',' ? 'a comma' : `a ${separator}`}; write several globs as a list`;
};

export const explainNoMatch = (glob: string, kind: GlobKind): string | undefined => {
  if (glob !== glob.trim()) return 'begins or ends with a blank';
  if (kind === 'ids') return explainBadIdGlob(glob);
  if (/^(?:\/|[A-Za-z]:[/\\])/.test(glob)) return 'is an absolute path; paths are relative to the repository';
  if (/^!?(?:\.\/)?\.\.(?:\/|$)/.test(glob)) return 'leads out of the repository';
  return glob.endsWith('/') ? `ends with a slash, but changed files do not; write ${glob}**` : undefined;
};

const isEverything = (glob: string): boolean => glob === '*' || glob === '**';

const patternCharacters = /[*?[\]{}()!+@\\|]/;

const wildcardGlobPattern = /^[^[\]{}()!+@\\|]{1,500}$/;

/** A subject that is too long is not compared. If no other subject matches, the result is `timeout`. */
const matchShortSubjects =
  (matches: GlobMatcher): GlobMatcher =>
  (subjects) => {
    const short = subjects.filter((subject) => subject.length <= MAX_SUBJECT_LENGTH);
    const match = matches(short);
    return match === false && short.length < subjects.length ? 'timeout' : match;
  };

const compileGlob = (glob: string, kind: GlobKind): GlobMatcher => {
  if (kind === 'ids' ? isEverything(glob) : glob === '**') return (subjects) => subjects.length > 0;
  if (!patternCharacters.test(glob)) {
    const text = kind === 'paths' ? toPlainPath(glob) : glob;
    return (subjects) => subjects.includes(text);
  }
  // A glob whose only wildcards are `*` and `?` needs no regular expression and no time limit.
  if (kind === 'ids' && wildcardGlobPattern.test(glob)) {
    return matchShortSubjects((subjects) => subjects.some((subject) => matchesWildcards(glob, subject, '?')));
  }
  let expression: string | undefined;
  let gaveUp = explainUnusedGlob(glob) !== undefined;
  return matchShortSubjects((subjects) => {
    if (gaveUp) return 'timeout';
    if (subjects.length === 0) return false;
    expression ??= picomatch.makeRe(glob, { dot: true, bash: kind === 'ids', strictBrackets: false }).source;
    const match = matchAnySubject({ pattern: expression, subjects });
    gaveUp = match === 'timeout';
    return match;
  });
};

/** Writes a path as git does: with slashes and without `./` at the beginning. */
const toPlainPath = (path: string): string => {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return slashed.startsWith('./') ? slashed.slice(2) : slashed;
};

/** A glob that exceeded its time limit is not tried again. */
export const compileGlobs = (globs: readonly string[], kind: GlobKind): GlobMatcher => {
  const all = globs.map((glob) => compileGlob(glob, kind));
  return (subjects) => {
    const compared = kind === 'paths' ? subjects.map(toPlainPath) : subjects;
    let match: MatchResult = false;
    for (const matches of all) {
      const one = matches(compared);
      if (one === true) return true;
      if (one === 'timeout') match = one;
    }
    return match;
  };
};

export const globTimeoutText = `a glob takes more than ${MATCH_LIMIT_MS} ms, or it or what it is compared with is too long`;
