/** Longer ones are command lines in place of a missing name. */
const MAX_NAME = 32;

const SCRIPT = /(?:^|[/\\\s"'])([\w.-]+\.(?:sh|bash|zsh|py|mjs|cjs|js|ts|rb|pl|ps1|php))(?=["'\s]|$)/;

/**
 * The name of a hook in every sentence to a person. A hook without a name is called by its command line; a long one is shown
 * by the script it runs, or by how the line begins.
 */
export const shownName = (name: string): string => {
  // One word is a name, however long.
  if (name.length <= MAX_NAME || !/[\s/\\"']/.test(name)) return name;
  const [, script] = SCRIPT.exec(name) ?? [];
  if (script !== undefined && script.length <= MAX_NAME) return script;
  return `${name.slice(0, MAX_NAME - 1).trimEnd()}…`;
};

/** Those with this name: the whole one, or the short one if only one has it. */
export const named = <T>(wish: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const exactly = all.filter((one) => nameOf(one) === wish);
  if (exactly.length > 0) return exactly;
  const shortly = all.filter((one) => shownName(nameOf(one)) === wish);
  return new Set(shortly.map(nameOf)).size === 1 ? shortly : [];
};
