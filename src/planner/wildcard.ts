const ANY = '*';
const ONE = '?';

/**
 * Whether a pattern of `*` (any text) and `?` (one character) covers a subject. It goes back to the last `*` only, so that
 * it takes at most the product of the two lengths, whatever the pattern.
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
