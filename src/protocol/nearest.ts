/** How many letters to change, add or leave out. One row of the usual table is enough: each entry replaces the one above. */
const distance = (a: string, b: string): number => {
  const row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const letter = a.charCodeAt(i - 1);
    let diagonal = i - 1;
    let left = i;
    row[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      const above = row[j] ?? 0;
      left = Math.min(above + 1, left + 1, diagonal + (letter === b.charCodeAt(j - 1) ? 0 : 1));
      row[j] = left;
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
};

/** The known name somebody probably meant, or nothing when none is close. Case and separators do not count. */
export const nearest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  const fold = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '');
  const wanted = fold(name);
  const tolerated = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; cost: number } | undefined;
  for (const candidate of known) {
    const folded = fold(candidate);
    // Names that differ this much in length are not worth a comparison letter by letter.
    if (Math.abs(folded.length - wanted.length) > tolerated) continue;
    const cost = distance(wanted, folded);
    if (cost <= tolerated && (best === undefined || cost < best.cost)) best = { name: candidate, cost };
  }
  return best?.name;
};

/** `; did you mean "x"?`, or nothing. */
export const suggestion = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
};
