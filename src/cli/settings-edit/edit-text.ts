/** Edits JSON with comments as text, so that everything outside of the change keeps its bytes. */
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit, type Node } from 'jsonc-parser';
import { createLineIndex, escapeUnprintable, isRecord } from '../../kit/index.ts';
import { parseJsonc } from '../../settings/index.ts';

interface EditProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type EditResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: EditProblem };

export type ListPath = readonly [string, ...string[]];

const BYTE_ORDER_MARK = '\ufeff';

const describeNode = ({ type }: Node): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

/** The last of repeated keys is used, as in `JSON.parse`. */
const findMember = (node: Node, key: string): Node | undefined =>
  (node.children ?? []).findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];

class JsonDocument {
  readonly text: string;
  readonly root: Node;

  constructor(text: string, root: Node) {
    this.text = text;
    this.root = root;
  }

  apply(edits: readonly Edit[]): EditResult {
    return { ok: true, text: applyEdits(this.text, [...edits]) };
  }

  fail(message: string, offset: number): EditResult {
    return { ok: false, problem: { message, ...createLineIndex(this.text)(offset) } };
  }

  follow(path: ListPath): { readonly at: Node; readonly missing: readonly string[]; readonly wrong?: string } {
    let at = this.root;
    for (const [index, key] of path.entries()) {
      if (at.type !== 'object') {
        const wrong = `${path.slice(0, index).join('.')} must be an object, found ${describeNode(at)}`;
        return { at, missing: [], wrong };
      }
      const next = findMember(at, key);
      if (next === undefined) return { at, missing: path.slice(index) };
      at = next;
    }
    if (at.type === 'array') return { at, missing: [] };
    return { at, missing: [], wrong: `${path.join('.')} must be a list, found ${describeNode(at)}` };
  }
}

const editDocument = (text: string, change: (document: JsonDocument) => EditResult): EditResult => {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const json = text.slice(mark.length);
  const { root, problems } = parseJsonc(json);
  const [first] = problems;
  if (first !== undefined) {
    const message = `${first.message}; correct this first`;
    return { ok: false, problem: { message, ...createLineIndex(json)(first.offset) } };
  }
  if (root?.type !== 'object')
    return { ok: false, problem: { message: 'settings must be an object', line: 1, column: 1 } };
  const edited = change(new JsonDocument(json, root));
  return edited.ok ? { ok: true, text: mark + edited.text } : edited;
};

export const appendToList = (text: string, path: ListPath, value: unknown): EditResult =>
  editDocument(text, (document) => {
    const { at, missing, wrong } = document.follow(path);
    if (wrong !== undefined) return document.fail(wrong, at.offset);
    const style = detectTextStyle(document.text, document.root);
    const [key, ...inner] = missing;
    if (key === undefined) {
      return document.apply(insertMember(document.text, at, (outer) => renderValue(value, outer, style), style));
    }
    const whole = inner.reduceRight<unknown>((content, name) => ({ [name]: content }), [value]);
    const render = (outer: string | undefined): string => `${formatJson(key)}: ${renderValue(whole, outer, style)}`;
    return document.apply(insertMember(document.text, at, render, style));
  });

/** The start of an object. If the object there lacks a member of `has`, the file has changed. */
export interface ObjectLocation {
  readonly line: number;
  readonly column: number;
  readonly has: Readonly<Record<string, unknown>>;
}

const findObject = (node: Node, isThere: (node: Node) => boolean): Node | undefined => {
  if (node.type === 'object' && isThere(node)) return node;
  for (const child of node.children ?? []) {
    const found = findObject(child, isThere);
    if (found !== undefined) return found;
  }
  return undefined;
};

export const setMember = (
  text: string,
  { line, column, has }: ObjectLocation,
  key: string,
  value: boolean,
): EditResult =>
  editDocument(text, (document) => {
    const positionAt = createLineIndex(document.text);
    const object = findObject(document.root, ({ offset }) => isDeepStrictEqual(positionAt(offset), { line, column }));
    const isMeant = Object.entries(has).every(
      ([name, wanted]) => object !== undefined && findMember(object, name)?.value === wanted,
    );
    if (object === undefined || !isMeant) {
      return { ok: false, problem: { message: 'changed in the meantime; run it again', line, column } };
    }
    const member = findMember(object, key);
    if (member !== undefined) {
      return document.apply([{ offset: member.offset, length: member.length, content: JSON.stringify(value) }]);
    }
    const render = (): string => `${formatJson(key)}: ${JSON.stringify(value)}`;
    return document.apply(insertMember(document.text, object, render, detectTextStyle(document.text, document.root)));
  });

export const removeFromList = (text: string, path: ListPath, value: string): EditResult =>
  editDocument(text, (document) => {
    const { at, missing, wrong } = document.follow(path);
    if (wrong !== undefined) return document.fail(wrong, at.offset);
    if (missing.length > 0) return { ok: true, text: document.text };
    const meant = at.children?.findLast((member) => member.value === value);
    if (meant === undefined) return { ok: true, text: document.text };
    const once = document.apply(removeMember(document.text, at, meant));
    return once.ok ? removeFromList(once.text, path, value) : once;
  });

export const readList = (text: string, path: ListPath): readonly string[] => {
  const { root } = parseJsonc(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (root === undefined) return [];
  const { at, missing, wrong } = new JsonDocument(text, root).follow(path);
  if (missing.length > 0 || wrong !== undefined) return [];
  return (at.children ?? []).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
};

interface TextStyle {
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

export const detectTextStyle = (text: string, root: Node): TextStyle => {
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

const getEnd = ({ offset, length }: Node): number => offset + length;

const findClosingOffset = (container: Node): number => getEnd(container) - 1;

const scanTokensAfter = (text: string, container: Node, member: Node): Token[] => {
  const members = container.children ?? [];
  const next = members[members.indexOf(member) + 1];
  return scanTokensBetween(text, getEnd(member), next?.offset ?? findClosingOffset(container));
};

const scanTokensInFront = (text: string, container: Node): Token[] =>
  scanTokensBetween(text, container.offset + 1, container.children?.[0]?.offset ?? findClosingOffset(container));

const findComma = (tokens: readonly Token[]): Token | undefined => tokens.find(({ kind }) => kind === 'comma');

type MemberRenderer = (outer: string | undefined) => string;

const createInsertion = (offset: number, content: string): Edit => ({ offset, length: 0, content });

const insertIntoEmpty = (text: string, container: Node, render: MemberRenderer, style: TextStyle): Edit[] => {
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

export const insertMember = (text: string, container: Node, render: MemberRenderer, style: TextStyle): Edit[] => {
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

const createRemoval = (from: number, until: number): Edit => ({ offset: from, length: until - from, content: '' });

const measureMatch = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

const findRemovedRange = (text: string, from: number, until: number, isFirst: boolean): Edit => {
  const blanks = measureMatch(/(?:\r\n|\n|\r)?[ \t]*$/, text.slice(0, from));
  const begins = /[\r\n]/.test(text.slice(from - blanks, from));
  const rest = until + measureMatch(/^[ \t]*/, text.slice(until));
  const ends = rest === text.length || /[\r\n]/.test(text.charAt(rest));
  if (begins) return createRemoval(ends ? from - blanks : from, rest);
  return isFirst ? createRemoval(from, ends ? until : rest) : createRemoval(from - blanks, until);
};

/** Comments stay, because they may be the only copy of their text. */
export const removeMember = (text: string, container: Node, member: Node): Edit[] => {
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
