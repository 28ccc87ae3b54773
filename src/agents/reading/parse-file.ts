// Parses JSON and TOML files with the location of every member.
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse, TomlError } from 'smol-toml';
import { createLineIndex, findJsonExcess, findTomlExcess, isRecord, type LineAndColumn } from '../../kit/index.ts';

export interface ParsedFile {
  readonly root?: unknown;
  readonly mistake?: {
    readonly message: string;
    readonly fix: string;
    readonly spot: LineAndColumn;
    /** Only hookwright limits the size; the agent can read the file. */
    readonly onlyHere?: true;
  };
  readonly duplicates?: readonly DuplicateKey[];
  readonly spotOf: (path: readonly PathPart[]) => LineAndColumn;
}

const toValue = (node: Node): unknown => {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(listMembers(node).map(({ key, value }) => [key, toValue(value)]));
};

const findNodeAround = (root: Node, path: readonly PathPart[]): Node => {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return typeof path[length - 1] === 'string' ? (node.parent ?? node) : node;
  }
  return root;
};

const jsonErrorMessages: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'a comment, and this file must be JSON without comments',
  CommaExpected: 'a comma is missing before this',
  ValueExpected: 'a value is missing here',
  EndOfFileExpected: 'something follows after the end',
  PropertyNameExpected: 'a key in double quotes is missing here, or a comma is too many',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
};

/** Parses JSON with the location of each member; `jsonc` allows comments and trailing commas. */
export const parseWithPositions = (text: string, syntax: 'json' | 'jsonc'): ParsedFile => {
  const errors: ParseError[] = [];
  const plain = text.replace(/^\uFEFF/, '');
  const isLax = syntax === 'jsonc';
  const spotAt = createLineIndex(plain);
  const excess = findJsonExcess(plain);
  if (excess !== undefined) {
    const { offset, message } = excess;
    return {
      mistake: {
        message: `the file ${message}`,
        fix: 'write less into one file',
        spot: spotAt(offset),
        onlyHere: true,
      },
      spotOf: () => spotAt(0),
    };
  }
  const root = parseTree(plain, errors, { disallowComments: !isLax, allowTrailingComma: isLax });
  const [first] = errors;
  const spotOf = (path: readonly PathPart[]): LineAndColumn =>
    spotAt(root === undefined ? 0 : findNodeAround(root, path).offset);
  if (first !== undefined || root === undefined) {
    const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
    const { offset = 0, length = 0 } = first ?? {};
    const found = plain.slice(offset, offset + Math.max(1, length)).split('\n')[0] ?? '';
    const what = found.trim() === '' ? 'the end' : JSON.stringify(found.slice(0, 40));
    const message = `${jsonErrorMessages[code] ?? 'this is not JSON'}, found ${what}`;
    const fix = code === 'InvalidCommentToken' ? 'remove the comment' : 'correct the JSON at this place';
    return { mistake: { message, fix, spot: spotAt(offset) }, spotOf };
  }
  return { root: toValue(root), spotOf, duplicates: findDuplicates(root, spotAt) };
};

export type PathPart = string | number;

export interface DuplicateKey {
  readonly path: readonly PathPart[];
  readonly spot: LineAndColumn;
  readonly lastSpot: LineAndColumn;
}

const MAX_REPORTED_DUPLICATES = 20;

const listMembers = ({ children = [] }: Node) =>
  children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key: String(key.value), at: key.offset, value }],
  );

/** Values that a later key replaces are not searched. */
const findDuplicates = (root: Node, spotAt: (offset: number) => LineAndColumn): DuplicateKey[] => {
  const found: DuplicateKey[] = [];
  const look = (node: Node, path: readonly PathPart[]): void => {
    if (node.type === 'array')
      for (const [index, item] of (node.children ?? []).entries()) look(item, [...path, index]);
    if (node.type !== 'object') return;
    const members = listMembers(node);
    const last = new Map(members.map((member) => [member.key, member]));
    for (const member of members) {
      const at = [...path, member.key];
      const counting = last.get(member.key) ?? member;
      if (counting === member) look(member.value, at);
      else if (found.length < MAX_REPORTED_DUPLICATES)
        found.push({ path: at, spot: spotAt(member.at), lastSpot: spotAt(counting.at) });
    }
  };
  look(root, []);
  return found;
};

interface TableHeader extends LineAndColumn {
  readonly keys: readonly string[];
}

const findTableHeaders = (text: string): TableHeader[] =>
  text.split('\n').flatMap((line, index) => {
    const [, indent = '', name] = /^(\s*)\[\[?\s*([^\]#]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
    if (name === undefined) return [];
    const keys = name.split('.').map((key) => key.trim().replace(/^(["'])(.*)\1$/, '$2'));
    return [{ keys, line: index + 1, column: indent.length + 1 }];
  });

const startsWithKeys = (keys: readonly string[], start: readonly string[]): boolean =>
  start.every((key, index) => keys[index] === key);

/**
 * A number in `path` selects one of the headers with the name before it, after the header found so far. A member of an
 * inline table is located at the header around it, or at the first line that begins with its key.
 */
const locateMember = (text: string, headers: readonly TableHeader[], path: readonly PathPart[]): LineAndColumn => {
  const names: string[] = [];
  let place: { header: TableHeader; index: number } | undefined;
  for (const part of path) {
    if (typeof part === 'string') {
      names.push(part);
      continue;
    }
    const from = place === undefined ? 0 : place.index + 1;
    const found = headers
      .map((header, index) => ({ header, index }))
      .slice(from)
      .filter(({ header: { keys } }) => keys.length === names.length && startsWithKeys(keys, names))[part];
    if (found !== undefined) place = found;
  }
  if (place !== undefined) return place.header;
  const around = headers.find(({ keys }) => startsWithKeys(keys, names));
  if (around !== undefined) return around;
  const key = names.at(-1) ?? '';
  const line = text.split('\n').findIndex((one) => one.trimStart().startsWith(key));
  return { line: Math.max(0, line) + 1, column: 1 };
};

const quoteLine = (text: string, line: number): string =>
  JSON.stringify((text.split('\n')[line - 1] ?? '').trim().slice(0, 60));

export const parseToml = (text: string): ParsedFile => {
  const excess = findTomlExcess(text);
  if (excess !== undefined) {
    const spot = { line: 1, column: 1 };
    return {
      mistake: { message: `the file ${excess}`, fix: 'write less into one file', spot, onlyHere: true },
      spotOf: () => spot,
    };
  }
  const headers = findTableHeaders(text);
  const spotOf = (path: readonly PathPart[]): LineAndColumn => locateMember(text, headers, path);
  try {
    const root: unknown = parse(text);
    return isRecord(root) ? { root, spotOf } : { spotOf };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = 'this is not TOML'] = error.message.replace(/^Invalid TOML document:\s*/, '').split('\n');
    return {
      mistake: {
        message: `${message}, found ${quoteLine(text, error.line)}`,
        fix: 'correct the TOML in this line',
        spot: { line: error.line, column: error.column },
      },
      spotOf,
    };
  }
};
