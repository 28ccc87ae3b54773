/**
 * True if a text matches a pattern in which `*` stands for any text and `anyCharacter` for one character. Backtracking
 * to the last `*` only keeps the time below the product of both lengths, so that no pattern can be slow on purpose.
 */
export const matchesWildcards = (pattern: string, text: string, anyCharacter?: '?'): boolean => {
  let at = 0;
  let from = 0;
  let lastAny = -1;
  let resumeAt = 0;
  while (from < text.length) {
    if (pattern[at] === '*') {
      lastAny = at;
      resumeAt = from;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === anyCharacter || pattern[at] === text[from])) {
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
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
};
