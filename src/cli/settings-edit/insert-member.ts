import type { Edit, Node } from 'jsonc-parser';
import { beginsLine, indentAt, type TextStyle } from './text-style.ts';
import { after, closingOf, commaIn, endOf, inFront, isComment, isLineBreak } from './tokens.ts';

/** Writes a member for lines that are set in by this much, or for a row with others. */
export type Render = (outer: string | undefined) => string;

const insertion = (offset: number, content: string): Edit => ({ offset, length: 0, content });

const intoEmpty = (text: string, container: Node, render: Render, style: TextStyle): Edit[] => {
  const outer = indentAt(text, container.offset);
  const inner = outer + style.indent;
  const tokens = inFront(text, container);
  if (tokens.some(isLineBreak)) {
    // Comments may stand in it: what is new comes behind them, and the bracket stays on its line.
    const last = tokens.findLast(isComment);
    return [insertion(last?.end ?? container.offset + 1, style.eol + inner + render(inner))];
  }
  if (container.type === 'array') return [insertion(closingOf(container), render(undefined))];
  return [insertion(closingOf(container), style.eol + inner + render(inner) + style.eol + outer)];
};

/** The end of what belongs to a member on its line: a comment there speaks about it. */
const endOfLine = (tokens: ReturnType<typeof after>, from: number): number => {
  let end = from;
  for (const token of tokens) {
    if (isLineBreak(token)) break;
    if (isComment(token)) end = Math.max(end, token.end);
  }
  return end;
};

/**
 * The edits that put a member at the end of an object or a list: on a line of its own where the others are, with a comma
 * behind it where the last one has one. No comment is moved away from what it is about.
 */
export const insertMember = (text: string, container: Node, render: Render, style: TextStyle): Edit[] => {
  const last = container.children?.at(-1);
  if (last === undefined) return intoEmpty(text, container, render, style);
  const tokens = after(text, container, last);
  const comma = commaIn(tokens);
  const itself = comma?.end ?? endOf(last);
  const added = comma === undefined ? [insertion(endOf(last), ',')] : [];
  const ownComma = comma === undefined ? '' : ',';
  if (!beginsLine(text, last.offset)) {
    return [...added, insertion(itself, ` ${render(undefined)}${ownComma}`)];
  }
  const inner = indentAt(text, last.offset);
  const at = endOfLine(tokens, itself);
  return [...added, insertion(at, style.eol + inner + render(inner) + ownComma)];
};
