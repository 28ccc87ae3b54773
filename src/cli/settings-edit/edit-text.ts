/** Edits JSON with comments as text, so that everything outside of the change keeps its bytes. */
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit } from 'jsonc-parser';
import {
  createLineIndex,
  detectTextStyle,
  findMember,
  formatJson,
  insertMember,
  type JsonTreeNode,
  removeMember,
  renderValue,
  withoutByteOrderMark,
} from '../../kit/index.ts';
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

const describeNode = ({ type }: JsonTreeNode): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

class JsonDocument {
  readonly text: string;
  readonly root: JsonTreeNode;

  constructor(text: string, root: JsonTreeNode) {
    this.text = text;
    this.root = root;
  }

  apply(edits: readonly Edit[]): EditResult {
    return { ok: true, text: applyEdits(this.text, [...edits]) };
  }

  fail(message: string, offset: number): EditResult {
    return { ok: false, problem: { message, ...createLineIndex(this.text)(offset) } };
  }

  follow(path: ListPath): { readonly at: JsonTreeNode; readonly missing: readonly string[]; readonly wrong?: string } {
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
  const json = withoutByteOrderMark(text);
  const { root, problems } = parseJsonc(json);
  const [first] = problems;
  if (first !== undefined) {
    const message = `${first.message}; correct this first`;
    return { ok: false, problem: { message, ...createLineIndex(json)(first.offset) } };
  }
  if (root?.type !== 'object')
    return { ok: false, problem: { message: 'settings must be an object', line: 1, column: 1 } };
  const edited = change(new JsonDocument(json, root));
  return edited.ok ? { ok: true, text: text.slice(0, text.length - json.length) + edited.text } : edited;
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

const findObject = (node: JsonTreeNode, isThere: (node: JsonTreeNode) => boolean): JsonTreeNode | undefined => {
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
  const { root } = parseJsonc(withoutByteOrderMark(text));
  if (root === undefined) return [];
  const { at, missing, wrong } = new JsonDocument(text, root).follow(path);
  if (missing.length > 0 || wrong !== undefined) return [];
  return (at.children ?? []).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
};
