// Matches ability ids and changed paths with globs, within a time limit.
import picomatch from 'picomatch';
import { MATCH_LIMIT_MS, MAX_SUBJECT, matchAny } from './match-regex.ts';
import type { Match } from './matcher.ts';

/** Longer globs, or globs with more groups, are slow on purpose. */
const MAX_GLOB = 500;
const MAX_GROUPS = 8;

/** `ids`: a slash is an ordinary character. `paths`: a slash separates directories. */
export type GlobKind = 'ids' | 'paths';

/** Whether any glob matches any subject, or `timeout`. */
export type Globs = (subjects: readonly string[]) => Match;

/** Why a glob is not used; `undefined` if it is. */
export const whyNotGlob = (glob: string): string | undefined => {
  if (glob.length > MAX_GLOB) return `has ${glob.length} characters; at most ${MAX_GLOB} are compared`;
  const groups = glob.match(/[{(]/g)?.length ?? 0;
  return groups > MAX_GROUPS ? `has ${groups} groups; at most ${MAX_GROUPS} are compared` : undefined;
};

const whyNoId = (glob: string): string | undefined => {
  if (/\s/.test(glob)) return 'contains a blank, which no ability id has';
  if (/^\/.*\/$/.test(glob)) return `is no regular expression; without its slashes it is a glob: ${glob.slice(1, -1)}`;
  return /^[^{}()[\]]*,[^{}()[\]]*$/.test(glob) ? 'contains a comma; write several globs as a list' : undefined;
};

/** Why a glob can never match; `undefined` if it can. */
export const whyNeverMatches = (glob: string, kind: GlobKind): string | undefined => {
  if (glob !== glob.trim()) return 'begins or ends with a blank';
  if (kind === 'ids') return whyNoId(glob);
  if (/^(?:\/|[A-Za-z]:[/\\])/.test(glob)) return 'is an absolute path; paths are relative to the repository';
  if (/^!?(?:\.\/)?\.\.(?:\/|$)/.test(glob)) return 'leads out of the repository';
  return glob.endsWith('/') ? `ends with a slash, but changed files do not; write ${glob}**` : undefined;
};

const isEverything = (glob: string): boolean => glob === '*' || glob === '**';

const hasPattern = /[*?[\]{}()!+@\\|]/;

const hasOnlyWildcards = /^[^[\]{}()!+@\\|]{1,500}$/;

/** Skips subjects that are too long. If no other matches, the result is unknown. */
const amongShort =
  (matches: Globs): Globs =>
  (subjects) => {
    const short = subjects.filter((subject) => subject.length <= MAX_SUBJECT);
    const match = matches(short);
    return match === false && short.length < subjects.length ? 'timeout' : match;
  };

const oneGlob = (glob: string, kind: GlobKind): Globs => {
  if (kind === 'ids' ? isEverything(glob) : glob === '**') return (subjects) => subjects.length > 0;
  if (!hasPattern.test(glob)) {
    const text = kind === 'paths' ? plainPath(glob) : glob;
    return (subjects) => subjects.includes(text);
  }
  // Nearly all globs for ids are of this kind. They need no regular expression, and so no time limit.
  if (kind === 'ids' && hasOnlyWildcards.test(glob)) {
    return amongShort((subjects) => subjects.some((subject) => coversAll(glob, subject)));
  }
  let expression: string | undefined;
  let gaveUp = whyNotGlob(glob) !== undefined;
  return amongShort((subjects) => {
    if (gaveUp) return 'timeout';
    if (subjects.length === 0) return false;
    expression ??= picomatch.makeRe(glob, { dot: true, bash: kind === 'ids', strictBrackets: false }).source;
    const match = matchAny(expression, subjects);
    gaveUp = match === 'timeout';
    return match;
  });
};

/** A path in the form of git. */
const plainPath = (path: string): string => {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return slashed.startsWith('./') ? slashed.slice(2) : slashed;
};

/** Compiles a list of globs. A glob that exceeded its time limit is not tried again. */
export const compileGlobs = (globs: readonly string[], kind: GlobKind): Globs => {
  const all = globs.map((glob) => oneGlob(glob, kind));
  return (subjects) => {
    const compared = kind === 'paths' ? subjects.map(plainPath) : subjects;
    let match: Match = false;
    for (const matches of all) {
      const one = matches(compared);
      if (one === true) return true;
      if (one === 'timeout') match = one;
    }
    return match;
  };
};

export const globTimeout = `a glob takes more than ${MATCH_LIMIT_MS} ms, or it or what it is compared with is too long`;

const ANY = '*';
const ONE = '?';

/**
 * Whether a pattern of `*` (any text) and `?` (one character) matches a subject. It backtracks to the last `*` only, so
 * it takes at most the product of both lengths.
 */
export const coversAll = (pattern: string, subject: string): boolean => {
  let at = 0;
  let from = 0;
  let lastAny = -1;
  let resumeAt = 0;
  while (from < subject.length) {
    if (at < pattern.length && pattern[at] === ANY) {
      lastAny = at;
      resumeAt = from;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === ONE || pattern[at] === subject[from])) {
      at += 1;
      from += 1;
    } else if (lastAny >= 0) {
      at = lastAny + 1;
      resumeAt += 1;
      from = resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[at] === ANY) at += 1;
  return at === pattern.length;
};
