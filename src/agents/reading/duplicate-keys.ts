import type { Node } from 'jsonc-parser';
import type { LineAndColumn } from '../../kit/index.ts';

/** A key, or an index in a list, on the way to a value. */
export type PathPart = string | number;

/** A key that stands twice in one object: only the last value counts. */
export interface Duplicate {
  readonly path: readonly PathPart[];
  readonly spot: LineAndColumn;
  /** Where the one stands that counts. */
  readonly counts: LineAndColumn;
}

/** Further ones are not reported. */
const MAX_DUPLICATES = 20;

interface Member {
  readonly key: string;
  readonly at: number;
  readonly value: Node;
}

const membersOf = ({ children = [] }: Node): Member[] =>
  children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key: String(key.value), at: key.offset, value }],
  );

/** Keys that stand twice, from the top down. What is lost is not searched for more. */
export const duplicatesIn = (root: Node, spotAt: (offset: number) => LineAndColumn): Duplicate[] => {
  const found: Duplicate[] = [];
  const look = (node: Node, path: readonly PathPart[]): void => {
    if (node.type === 'array')
      for (const [index, item] of (node.children ?? []).entries()) look(item, [...path, index]);
    if (node.type !== 'object') return;
    const members = membersOf(node);
    const last = new Map(members.map((member) => [member.key, member]));
    for (const member of members) {
      const at = [...path, member.key];
      const counting = last.get(member.key) ?? member;
      if (counting === member) look(member.value, at);
      else if (found.length < MAX_DUPLICATES)
        found.push({ path: at, spot: spotAt(member.at), counts: spotAt(counting.at) });
    }
  };
  look(root, []);
  return found;
};
