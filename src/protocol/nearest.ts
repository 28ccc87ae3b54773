const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
};

/** The known name somebody probably meant, or nothing when none is close. Case and separators do not count. */
export const nearest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  const fold = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '');
  const wanted = fold(name);
  let best: { name: string; cost: number } | undefined;
  for (const candidate of known) {
    const cost = distance(wanted, fold(candidate));
    if (best === undefined || cost < best.cost) best = { name: candidate, cost };
  }
  const tolerated = Math.max(1, Math.floor(wanted.length / 3));
  return best !== undefined && best.cost <= tolerated ? best.name : undefined;
};

/** `; did you mean "x"?`, or nothing. */
export const suggestion = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
};
