/** Longer ones are command lines that stand in for a name nobody gave. */
const MAX_NAME = 32;

const SCRIPT = /(?:^|[/\\\s"'])([\w.-]+\.(?:sh|bash|zsh|py|mjs|cjs|js|ts|rb|pl|ps1|php))(?=["'\s]|$)/;

/**
 * A hook without a name is called by its command line. Where that is long it is shown by the script it runs, or by how the line
 * begins; the line itself stands beside what it is about.
 */
export const shownName = (name: string): string => {
  // One word is a name that somebody gave, however long.
  if (name.length <= MAX_NAME || !/[\s/\\"']/.test(name)) return name;
  const [, script] = SCRIPT.exec(name) ?? [];
  if (script !== undefined && script.length <= MAX_NAME) return script;
  return `${name.slice(0, MAX_NAME - 1).trimEnd()}…`;
};

/** Those that somebody means: by the whole name, or by the short one where that is only one's. */
export const named = <T>(wish: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const exactly = all.filter((one) => nameOf(one) === wish);
  if (exactly.length > 0) return exactly;
  const shortly = all.filter((one) => shownName(nameOf(one)) === wish);
  return new Set(shortly.map(nameOf)).size === 1 ? shortly : [];
};
