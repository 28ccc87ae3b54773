/**
 * Whether a glob names a path or a directory above it: `**`, `*`, `?`, `[a-c]`, `[!a]`, `{one,other}`, and `\` before a character
 * that stands for itself. Names that begin with a dot are like others. A glob with anything else fits every path.
 */
export const fitsPathGlob = (glob: string, path: string): boolean => {
  if (BEYOND_US.test(glob) || (glob.match(/\{/g)?.length ?? 0) > MAX_GROUPS) return true;
  try {
    return alternativesOf(glob).some((one) => new RegExp(`^${sourceOf(one)}(?:/.*)?$`, 's').test(path));
  } catch {
    // A range of characters that runs backwards.
    return true;
  }
};

/** More groups would make more alternatives than are worth comparing. */
const MAX_GROUPS = 8;

/** Groups as `+(a|b)`, ranges as `{1..3}`, classes with names. */
const BEYOND_US = /[@+*?!]\(|\{[^{}]*\.\.|\[\[?[:.=]/;

const alternativesOf = (glob: string): readonly string[] => {
  const group = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (group === null) return [glob];
  const [before, after] = [glob.slice(0, group.index), glob.slice(group.index + group[0].length)];
  return (group[1] ?? '').split(',').flatMap((one) => alternativesOf(`${before}${one}${after}`));
};

const TOKEN =
  /\\(?<escaped>.)|(?<![^/])(?<anywhere>\*\*\/)+|\/(?<below>\*\*)$|(?<![^/])(?<name>\*+)(?![^/])|(?<some>\*+)|(?<one>\?)|\[(?<not>[!^]?)(?<set>\]?[^\]/]+)\]|./gs;

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const sourceOf = (glob: string): string => {
  let source = '';
  for (const { 0: token, groups = {} } of glob.matchAll(TOKEN)) {
    const { escaped, anywhere, below, name, some, one, not, set } = groups;
    if (anywhere !== undefined) source += '(?:[^/]+/)*';
    else if (name !== undefined) source += '[^/]+';
    else if (some !== undefined) source += '[^/]*';
    else if (one !== undefined) source += '[^/]';
    else if (set !== undefined) source += `(?!/)[${not === '' ? '' : '^'}${set.replace(/[\\\][^]/g, '\\$&')}]`;
    else if (below === undefined) source += literal(escaped ?? token);
  }
  return source;
};
