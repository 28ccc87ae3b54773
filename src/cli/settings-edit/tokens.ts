import type { Node } from 'jsonc-parser';

interface Token {
  readonly kind: 'comma' | 'comment' | 'line-break';
  readonly start: number;
  readonly end: number;
}

/** All that may stand between two members beside blanks. */
const between = /(?<comment>\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)|(?<comma>,)|\r\n|\r|\n/g;

const tokensBetween = (text: string, from: number, until: number): Token[] =>
  [...text.slice(from, until).matchAll(between)].map(({ 0: token, index, groups = {} }) => {
    const kind = groups.comma !== undefined ? 'comma' : groups.comment !== undefined ? 'comment' : 'line-break';
    return { kind, start: from + index, end: from + index + token.length };
  });

export const isComment = ({ kind }: Token): boolean => kind === 'comment';

export const isLineBreak = ({ kind }: Token): boolean => kind === 'line-break';

export const endOf = ({ offset, length }: Node): number => offset + length;

/** The offset of the bracket that closes a container. */
export const closingOf = (container: Node): number => endOf(container) - 1;

/** What stands between a member of a container and the next one, or the closing bracket. */
export const after = (text: string, container: Node, member: Node): Token[] => {
  const members = container.children ?? [];
  const next = members[members.indexOf(member) + 1];
  return tokensBetween(text, endOf(member), next?.offset ?? closingOf(container));
};

/** What stands between the bracket that opens a container and its first member, or its end. */
export const inFront = (text: string, container: Node): Token[] =>
  tokensBetween(text, container.offset + 1, container.children?.[0]?.offset ?? closingOf(container));

export const commaIn = (tokens: readonly Token[]): Token | undefined => tokens.find(({ kind }) => kind === 'comma');
