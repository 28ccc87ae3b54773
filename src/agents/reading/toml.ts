import { parse, TomlError } from 'smol-toml';
import { isRecord, type LineAndColumn, tooMuchToml } from '../../kit/index.ts';
import type { PathPart } from './duplicate-keys.ts';
import type { ParsedFile } from './positions.ts';

/** A header of a table, `[a.b]` or `[[a.b]]`, and where it stands. */
interface Header extends LineAndColumn {
  readonly keys: readonly string[];
}

const headersOf = (text: string): Header[] =>
  text.split('\n').flatMap((line, index) => {
    const [, indent = '', name] = /^(\s*)\[\[?\s*([^\]#]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
    if (name === undefined) return [];
    const keys = name.split('.').map((key) => key.trim().replace(/^(["'])(.*)\1$/, '$2'));
    return [{ keys, line: index + 1, column: indent.length + 1 }];
  });

const startsWith = (keys: readonly string[], start: readonly string[]): boolean =>
  start.every((key, index) => keys[index] === key);

/**
 * Where a member stands: each number of a path counts headers of that name behind the header before it. A member of an
 * inline table is found at the header around it, or at the line that begins with its key.
 */
const spotIn = (text: string, headers: readonly Header[], path: readonly PathPart[]): LineAndColumn => {
  const names: string[] = [];
  let place: { header: Header; index: number } | undefined;
  for (const part of path) {
    if (typeof part === 'string') {
      names.push(part);
      continue;
    }
    const from = place === undefined ? 0 : place.index + 1;
    const found = headers
      .map((header, index) => ({ header, index }))
      .slice(from)
      .filter(({ header: { keys } }) => keys.length === names.length && startsWith(keys, names))[part];
    if (found !== undefined) place = found;
  }
  if (place !== undefined) return place.header;
  const around = headers.find(({ keys }) => startsWith(keys, names));
  if (around !== undefined) return around;
  const key = names.at(-1) ?? '';
  const line = text.split('\n').findIndex((one) => one.trimStart().startsWith(key));
  return { line: Math.max(0, line) + 1, column: 1 };
};

const quoted = (text: string, line: number): string =>
  JSON.stringify((text.split('\n')[line - 1] ?? '').trim().slice(0, 60));

/** Parses TOML with the place of each table. */
export const parseToml = (text: string): ParsedFile => {
  const excess = tooMuchToml(text);
  if (excess !== undefined) {
    const spot = { line: 1, column: 1 };
    return {
      mistake: { message: `the file ${excess}`, fix: 'write less into one file', spot, onlyHere: true },
      spotOf: () => spot,
    };
  }
  const headers = headersOf(text);
  const spotOf = (path: readonly PathPart[]): LineAndColumn => spotIn(text, headers, path);
  try {
    const root: unknown = parse(text);
    return isRecord(root) ? { root, spotOf } : { spotOf };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = 'this is not TOML'] = error.message.replace(/^Invalid TOML document:\s*/, '').split('\n');
    return {
      mistake: {
        message: `${message}, found ${quoted(text, error.line)}`,
        fix: 'correct the TOML in this line',
        spot: { line: error.line, column: error.column },
      },
      spotOf,
    };
  }
};
