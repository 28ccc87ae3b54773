import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { parseJsonc } from '../../settings/index.ts';
import { insertMember } from '../settings-edit/insert-member.ts';
import { removeMember } from '../settings-edit/remove-member.ts';
import { indentAt, jsonText, renderValue, styleOf } from '../settings-edit/text-style.ts';
import type { JsonPath } from './test-document.ts';

/** What is to stand at a place; `undefined` takes away what is there. */
export interface Wanted {
  readonly path: JsonPath;
  readonly value: unknown;
}

const nodeAt = (root: Node, path: JsonPath): Node | undefined => findNodeAtLocation(root, [...path]);

const remove = (text: string, root: Node, path: JsonPath): Edit[] => {
  const container = nodeAt(root, path.slice(0, -1));
  const member = nodeAt(root, path)?.parent;
  return container === undefined || member === undefined ? [] : removeMember(text, container, member);
};

/** Makes a value of what is missing on the way: `expect` that is not there, and the member in it. */
const wrapped = (missing: JsonPath, value: unknown): unknown =>
  missing.reduceRight<unknown>((content, key) => ({ [key]: content }), value);

const insert = (text: string, root: Node, path: JsonPath, value: unknown): Edit[] => {
  let depth = path.length - 1;
  while (depth > 0 && nodeAt(root, path.slice(0, depth)) === undefined) depth -= 1;
  const container = nodeAt(root, path.slice(0, depth));
  if (container?.type !== 'object') return [];
  const style = styleOf(text, root);
  const whole = wrapped(path.slice(depth + 1), value);
  const key = jsonText(String(path[depth]));
  return insertMember(text, container, (outer) => `${key}: ${renderValue(whole, outer, style)}`, style);
};

const setValue = (text: string, { path, value }: Wanted): string => {
  const { root } = parseJsonc(text);
  if (root === undefined) return text;
  if (value === undefined) return applyEdits(text, remove(text, root, path));
  const node = nodeAt(root, path);
  if (node === undefined) return applyEdits(text, insert(text, root, path, value));
  const content = renderValue(value, indentAt(text, node.offset), styleOf(text, root));
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
};

/** Puts values into a text of JSON with comments. All else stays as it was: comments, blanks and the order. */
export const setValues = (text: string, wanted: readonly Wanted[]): string => wanted.reduce(setValue, text);
