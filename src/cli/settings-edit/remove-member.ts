import type { Edit, Node } from 'jsonc-parser';
import { after, closingOf, commaIn, endOf, inFront, isComment } from './tokens.ts';

const removal = (from: number, until: number): Edit => ({ offset: from, length: until - from, content: '' });

const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

/** The member with the blanks that go with it; on a line of its own, that line. */
const extentOf = (text: string, from: number, until: number, isFirst: boolean): Edit => {
  const blanks = lengthOf(/(?:\r\n|\n|\r)?[ \t]*$/, text.slice(0, from));
  const begins = /[\r\n]/.test(text.slice(from - blanks, from));
  const rest = until + lengthOf(/^[ \t]*/, text.slice(until));
  const ends = rest === text.length || /[\r\n]/.test(text.charAt(rest));
  if (begins) return removal(ends ? from - blanks : from, rest);
  // In a row the blanks in front belong to it; of the first one those behind.
  return isFirst ? removal(from, ends ? until : rest) : removal(from - blanks, until);
};

/**
 * The edits that take a member out of an object or a list, with the comma that belongs to it. Comments stay, also those
 * that were about it: what they say may have been the only copy.
 */
export const removeMember = (text: string, container: Node, member: Node): Edit[] => {
  const members = container.children ?? [];
  const previous = members[members.indexOf(member) - 1];
  const behind = after(text, container, member);
  const before = previous === undefined ? inFront(text, container) : after(text, container, previous);
  const comma = commaIn(behind) ?? commaIn(before);
  const itself = endOf(member);
  if (members.length === 1 && !before.concat(behind).some(isComment)) {
    return [removal(container.offset + 1, closingOf(container))];
  }
  const isOwn = comma !== undefined && comma.start >= itself && text.slice(itself, comma.start).trim() === '';
  const extent = extentOf(text, member.offset, isOwn ? comma.end : itself, previous === undefined);
  return comma === undefined || isOwn ? [extent] : [extent, removal(comma.start, comma.end)];
};
