/** What a session changed: paths, or a diff as `git diff` prints it. */
export type ChangedFiles = readonly string[] | { readonly diff: string };

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** Git quotes names with unusual characters, byte by byte. */
const unquote = (name: string): string => {
  if (!name.startsWith('"')) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)|([^\\]+)/gs, (_whole, escaped: string | undefined, plain: string | undefined) => {
      if (escaped === undefined) return Buffer.from(plain ?? '').toString('latin1');
      return escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : (ESCAPES[escaped] ?? escaped);
    });
  return Buffer.from(bytes, 'latin1').toString();
};

const pathIn = (line: string): string | undefined => {
  const [, name] = /^(?:---|\+\+\+|rename (?:from|to)|copy to) ("(?:[^"\\]|\\.)*"|[^\t]+)/.exec(line) ?? [];
  if (name === undefined || name === '/dev/null') return undefined;
  const path = unquote(name);
  return /^(?:---|\+\+\+) /.test(line) ? path.replace(/^[ab]\//, '') : path;
};

/** Lines of a hunk may look like headers, so hunks are counted through. */
const headerLines = (diff: string): string[] => {
  const headers: string[] = [];
  let left = { old: 0, new: 0 };
  for (const line of diff.split('\n')) {
    const [, before = '1', after = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (line.startsWith('@@ ')) left = { old: Number(before), new: Number(after) };
    else if (left.old > 0 || left.new > 0) {
      if (!line.startsWith('+')) left.old -= 1;
      if (!line.startsWith('-')) left.new -= 1;
      if (line.startsWith('\\')) left = { old: left.old + 1, new: left.new + 1 };
    } else headers.push(line);
  }
  return headers;
};

/** Names the file where nothing else does: an empty, a binary one, or one of which only the mode changed. */
const pathInTitle = (line: string): string | undefined => {
  const [, names] = /^diff --git (.*)$/.exec(line) ?? [];
  if (names === undefined) return undefined;
  // Where the two names are the same they are as long as each other; a blank within them is no end.
  const half = (names.length - 1) / 2;
  const [before, after] = [unquote(names.slice(0, half)), unquote(names.slice(half + 1))];
  const path = before.slice('a/'.length);
  return before === `a/${path}` && after === `b/${path}` ? path : undefined;
};

/** The paths that were changed, each once, in order. */
export const pathsOf = (changed: ChangedFiles): string[] => {
  if (!('diff' in changed)) return [...new Set(changed)];
  return [...new Set(headerLines(changed.diff).flatMap((line) => pathIn(line) ?? pathInTitle(line) ?? []))];
};
