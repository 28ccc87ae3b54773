// Edits JSON with comments as text: inserts and removes members, and keeps comments, indentation and line ends.
import { isRecord } from './json.ts';
import { escapeUnprintable } from './printable.ts';

/** A node as `jsonc-parser` parses it. */
export interface JsonTreeNode {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  readonly children?: readonly JsonTreeNode[];
}

interface JsonEdit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/** The last of repeated keys is used, as in `JSON.parse`. */
export const findMember = (node: JsonTreeNode, key: string): JsonTreeNode | undefined =>
  (node.children ?? []).findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];

export interface TextStyle {
  readonly eol: string;
  readonly indent: string;
}

const DEFAULT_INDENT = '  ';

const findLineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;

export const getIndentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(findLineStart(text, offset), offset))?.[0] ?? '';

const beginsLine = (text: string, offset: number): boolean =>
  /^[ \t]*$/.test(text.slice(findLineStart(text, offset), offset));

export const detectTextStyle = (text: string, root: JsonTreeNode): TextStyle => {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const first = root.children?.[0];
  if (first === undefined || !beginsLine(text, first.offset)) return { eol, indent: DEFAULT_INDENT };
  const own = getIndentAt(text, first.offset);
  const outer = getIndentAt(text, root.offset);
  const indent = own.startsWith(outer) ? own.slice(outer.length) : own;
  return { eol, indent: indent === '' ? DEFAULT_INDENT : indent };
};

/** Invisible characters are escaped, because names and answers of hooks come from other authors. */
export const formatJson = (value: unknown, indent?: string): string =>
  escapeUnprintable(JSON.stringify(value, null, indent) ?? 'null');

const renderOnOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(renderOnOneLine).join(', ')}]`;
  if (!isRecord(value)) return formatJson(value);
  const members = Object.entries(value).map(([key, member]) => `${formatJson(key)}: ${renderOnOneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

/** `outer` is the indentation of the lines. If it is `undefined`, the value is written on one line. */
export const renderValue = (value: unknown, outer: string | undefined, { eol, indent }: TextStyle): string =>
  outer === undefined ? renderOnOneLine(value) : formatJson(value, indent).replaceAll('\n', eol + outer);

interface Token {
  readonly kind: 'comma' | 'comment' | 'line-break';
  readonly start: number;
  readonly end: number;
}

const TOKEN_PATTERN = /(?<comment>\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)|(?<comma>,)|\r\n|\r|\n/g;

const scanTokensBetween = (text: string, from: number, until: number): Token[] =>
  [...text.slice(from, until).matchAll(TOKEN_PATTERN)].map(({ 0: token, index, groups = {} }) => {
    const kind = groups.comma !== undefined ? 'comma' : groups.comment !== undefined ? 'comment' : 'line-break';
    return { kind, start: from + index, end: from + index + token.length };
  });

const isComment = ({ kind }: Token): boolean => kind === 'comment';

const isLineBreak = ({ kind }: Token): boolean => kind === 'line-break';

const getEnd = ({ offset, length }: JsonTreeNode): number => offset + length;

const findClosingOffset = (container: JsonTreeNode): number => getEnd(container) - 1;

const scanTokensAfter = (text: string, container: JsonTreeNode, member: JsonTreeNode): Token[] => {
  const members = container.children ?? [];
  const next = members[members.indexOf(member) + 1];
  return scanTokensBetween(text, getEnd(member), next?.offset ?? findClosingOffset(container));
};

const scanTokensInFront = (text: string, container: JsonTreeNode): Token[] =>
  scanTokensBetween(text, container.offset + 1, container.children?.[0]?.offset ?? findClosingOffset(container));

const findComma = (tokens: readonly Token[]): Token | undefined => tokens.find(({ kind }) => kind === 'comma');

type MemberRenderer = (outer: string | undefined) => string;

const createInsertion = (offset: number, content: string): JsonEdit => ({ offset, length: 0, content });

const insertIntoEmpty = (
  text: string,
  container: JsonTreeNode,
  render: MemberRenderer,
  style: TextStyle,
): JsonEdit[] => {
  const outer = getIndentAt(text, container.offset);
  const inner = outer + style.indent;
  const tokens = scanTokensInFront(text, container);
  if (tokens.some(isLineBreak)) {
    const last = tokens.findLast(isComment);
    return [createInsertion(last?.end ?? container.offset + 1, style.eol + inner + render(inner))];
  }
  if (container.type === 'array') return [createInsertion(findClosingOffset(container), render(undefined))];
  return [createInsertion(findClosingOffset(container), style.eol + inner + render(inner) + style.eol + outer)];
};

const findEndOfLine = (tokens: readonly Token[], from: number): number => {
  let end = from;
  for (const token of tokens) {
    if (isLineBreak(token)) break;
    if (isComment(token)) end = Math.max(end, token.end);
  }
  return end;
};

export const insertMember = (
  text: string,
  container: JsonTreeNode,
  render: MemberRenderer,
  style: TextStyle,
): JsonEdit[] => {
  const last = container.children?.at(-1);
  if (last === undefined) return insertIntoEmpty(text, container, render, style);
  const tokens = scanTokensAfter(text, container, last);
  const comma = findComma(tokens);
  const itself = comma?.end ?? getEnd(last);
  const added = comma === undefined ? [createInsertion(getEnd(last), ',')] : [];
  const ownComma = comma === undefined ? '' : ',';
  if (!beginsLine(text, last.offset)) {
    return [...added, createInsertion(itself, ` ${render(undefined)}${ownComma}`)];
  }
  const inner = getIndentAt(text, last.offset);
  const at = findEndOfLine(tokens, itself);
  return [...added, createInsertion(at, style.eol + inner + render(inner) + ownComma)];
};

const createRemoval = (from: number, until: number): JsonEdit => ({ offset: from, length: until - from, content: '' });

const measureMatch = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

const findRemovedRange = (text: string, from: number, until: number, isFirst: boolean): JsonEdit => {
  const blanks = measureMatch(/(?:\r\n|\n|\r)?[ \t]*$/, text.slice(0, from));
  const begins = /[\r\n]/.test(text.slice(from - blanks, from));
  const rest = until + measureMatch(/^[ \t]*/, text.slice(until));
  const ends = rest === text.length || /[\r\n]/.test(text.charAt(rest));
  if (begins) return createRemoval(ends ? from - blanks : from, rest);
  return isFirst ? createRemoval(from, ends ? until : rest) : createRemoval(from - blanks, until);
};

/** Comments stay, because they may be the only copy of their text. */
export const removeMember = (text: string, container: JsonTreeNode, member: JsonTreeNode): JsonEdit[] => {
  const members = container.children ?? [];
  const previous = members[members.indexOf(member) - 1];
  const behind = scanTokensAfter(text, container, member);
  const before =
    previous === undefined ? scanTokensInFront(text, container) : scanTokensAfter(text, container, previous);
  const comma = findComma(behind) ?? findComma(before);
  const itself = getEnd(member);
  if (members.length === 1 && !before.concat(behind).some(isComment)) {
    return [createRemoval(container.offset + 1, findClosingOffset(container))];
  }
  const isOwn = comma !== undefined && comma.start >= itself && text.slice(itself, comma.start).trim() === '';
  const extent = findRemovedRange(text, member.offset, isOwn ? comma.end : itself, previous === undefined);
  return comma === undefined || isOwn ? [extent] : [extent, createRemoval(comma.start, comma.end)];
};
