import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type LineAndColumn, lineIndex, tooMuch } from '../../kit/index.ts';
import { type Duplicate, duplicatesIn, type PathPart } from './duplicate-keys.ts';

export interface ParsedFile {
  /** Absent when nothing could be made of the text. */
  readonly root?: unknown;
  readonly mistake?: {
    readonly message: string;
    readonly fix: string;
    readonly spot: LineAndColumn;
    /** The agent itself would read it. */
    readonly onlyHere?: true;
  };
  readonly duplicates?: readonly Duplicate[];
  readonly spotOf: (path: readonly PathPart[]) => LineAndColumn;
}

const toValue = (node: Node): unknown => {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  const members = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [[String(key.value), toValue(value)] as const],
  );
  return Object.fromEntries(members);
};

/** The nearest thing around a path that stands in the file. */
const nodeAround = (root: Node, path: readonly PathPart[]): Node => {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return typeof path[length - 1] === 'string' ? (node.parent ?? node) : node;
  }
  return root;
};

const words: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'a comment, and this file must be JSON without comments',
  CommaExpected: 'a comma is missing before this',
  ValueExpected: 'a value is missing here',
  EndOfFileExpected: 'something follows after the end',
  PropertyNameExpected: 'a key in double quotes is missing here, or a comma is too many',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
};

/** Parses a file with the place of each member: strictly, or with comments and trailing commas where the agent takes them. */
export const parseWithPositions = (text: string, syntax: 'json' | 'jsonc'): ParsedFile => {
  const errors: ParseError[] = [];
  const plain = text.replace(/^\uFEFF/, '');
  const isLax = syntax === 'jsonc';
  const spotAt = lineIndex(plain);
  const excess = tooMuch(plain);
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
    spotAt(root === undefined ? 0 : nodeAround(root, path).offset);
  if (first !== undefined || root === undefined) {
    const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
    const { offset = 0, length = 0 } = first ?? {};
    const found = plain.slice(offset, offset + Math.max(1, length)).split('\n')[0] ?? '';
    const what = found.trim() === '' ? 'the end' : JSON.stringify(found.slice(0, 40));
    const message = `${words[code] ?? 'this is not JSON'}, found ${what}`;
    const fix = code === 'InvalidCommentToken' ? 'remove the comment' : 'correct the JSON at this place';
    return { mistake: { message, fix, spot: spotAt(offset) }, spotOf };
  }
  return { root: toValue(root), spotOf, duplicates: duplicatesIn(root, spotAt) };
};
