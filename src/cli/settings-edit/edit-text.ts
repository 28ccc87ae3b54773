import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit, type Node } from 'jsonc-parser';
import { lineIndex } from '../../kit/index.ts';
import { parseJsonc } from '../../settings/index.ts';
import { insertMember } from './insert-member.ts';
import { removeMember } from './remove-member.ts';
import { jsonText, renderValue, styleOf } from './text-style.ts';

/** Why a text is left as it is. */
export interface EditProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: EditProblem };

/** The keys that lead to a list: `['hooksConfig', 'disabled']`. */
export type ListPath = readonly [string, ...string[]];

const BYTE_ORDER_MARK = '\ufeff';

const kindOf = ({ type }: Node): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

/** The value of a key; the last one where it is there twice, as readers have it. */
const memberOf = (node: Node, key: string): Node | undefined =>
  (node.children ?? []).findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];

/** A text that was parsed, and may be changed at the places that were found in it. */
class Sheet {
  readonly text: string;
  readonly root: Node;

  constructor(text: string, root: Node) {
    this.text = text;
    this.root = root;
  }

  changed(edits: readonly Edit[]): Edited {
    return { ok: true, text: applyEdits(this.text, [...edits]) };
  }

  problem(message: string, offset: number): Edited {
    return { ok: false, problem: { message, ...lineIndex(this.text)(offset) } };
  }

  /** What is at the end of a path, or how far it goes: `at` is the last object, and `missing` leads on from it. */
  follow(path: ListPath): { readonly at: Node; readonly missing: readonly string[]; readonly wrong?: string } {
    let at = this.root;
    for (const [index, key] of path.entries()) {
      if (at.type !== 'object') {
        return { at, missing: [], wrong: `${path.slice(0, index).join('.')} must be an object, found ${kindOf(at)}` };
      }
      const next = memberOf(at, key);
      if (next === undefined) return { at, missing: path.slice(index) };
      at = next;
    }
    if (at.type === 'array') return { at, missing: [] };
    return { at, missing: [], wrong: `${path.join('.')} must be a list, found ${kindOf(at)}` };
  }
}

type Opened = { readonly sheet: Sheet } | { readonly refused: Edited };

const open = (text: string): Opened => {
  const { root, problems } = parseJsonc(text);
  const [first] = problems;
  if (first !== undefined) {
    const problem = { message: `${first.message}; correct this first`, ...lineIndex(text)(first.offset) };
    return { refused: { ok: false, problem } };
  }
  if (root?.type === 'object') return { sheet: new Sheet(text, root) };
  return { refused: { ok: false, problem: { message: 'settings must be an object', line: 1, column: 1 } } };
};

/** Changes a text, whatever mark stands in front of it. */
const edit = (text: string, change: (sheet: Sheet) => Edited): Edited => {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const opened = open(text.slice(mark.length));
  if ('refused' in opened) return opened.refused;
  const edited = change(opened.sheet);
  return edited.ok ? { ok: true, text: mark + edited.text } : edited;
};

/**
 * Puts a value at the end of a list of a settings file, and makes the list where there is none. All that was there stays
 * as it was: comments, blanks, the order and the way of writing.
 */
export const appendToList = (text: string, path: ListPath, value: unknown): Edited =>
  edit(text, (sheet) => {
    const { at, missing, wrong } = sheet.follow(path);
    if (wrong !== undefined) return sheet.problem(wrong, at.offset);
    const style = styleOf(sheet.text, sheet.root);
    const [key, ...inner] = missing;
    if (key === undefined) {
      return sheet.changed(insertMember(sheet.text, at, (outer) => renderValue(value, outer, style), style));
    }
    const whole = inner.reduceRight<unknown>((content, name) => ({ [name]: content }), [value]);
    const render = (outer: string | undefined): string => `${jsonText(key)}: ${renderValue(whole, outer, style)}`;
    return sheet.changed(insertMember(sheet.text, at, render, style));
  });

/** An object of a settings file, by where it begins and by what it has to have, should the file be another by now. */
export interface EditedObject {
  readonly line: number;
  readonly column: number;
  readonly has: Readonly<Record<string, unknown>>;
}

/** The object that begins there, wherever it is nested. */
const objectAt = (node: Node, isThere: (node: Node) => boolean): Node | undefined => {
  if (node.type === 'object' && isThere(node)) return node;
  for (const child of node.children ?? []) {
    const found = objectAt(child, isThere);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Sets a member of an object that stands at a known place, and leaves everything else as it was. */
export const setMember = (text: string, { line, column, has }: EditedObject, key: string, value: boolean): Edited =>
  edit(text, (sheet) => {
    const placeAt = lineIndex(sheet.text);
    const object = objectAt(sheet.root, ({ offset }) => isDeepStrictEqual(placeAt(offset), { line, column }));
    const isMeant = Object.entries(has).every(
      ([name, wanted]) => object !== undefined && memberOf(object, name)?.value === wanted,
    );
    if (object === undefined || !isMeant) {
      return { ok: false, problem: { message: 'changed in the meantime; run it again', line, column } };
    }
    const member = memberOf(object, key);
    if (member !== undefined) {
      return sheet.changed([{ offset: member.offset, length: member.length, content: JSON.stringify(value) }]);
    }
    const render = (): string => `${jsonText(key)}: ${JSON.stringify(value)}`;
    return sheet.changed(insertMember(sheet.text, object, render, styleOf(sheet.text, sheet.root)));
  });

/** Takes every occurrence of a text out of a list of a settings file; one that is not there changes nothing. */
export const removeFromList = (text: string, path: ListPath, value: string): Edited =>
  edit(text, (sheet) => {
    const { at, missing, wrong } = sheet.follow(path);
    if (wrong !== undefined) return sheet.problem(wrong, at.offset);
    if (missing.length > 0) return { ok: true, text: sheet.text };
    const meant = at.children?.findLast((member) => member.value === value);
    if (meant === undefined) return { ok: true, text: sheet.text };
    const once = sheet.changed(removeMember(sheet.text, at, meant));
    return once.ok ? removeFromList(once.text, path, value) : once;
  });

/** The texts in a list of a settings file; none where there is no such list or it cannot be read. */
export const listIn = (text: string, path: ListPath): readonly string[] => {
  const { root } = parseJsonc(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (root === undefined) return [];
  const { at, missing, wrong } = new Sheet(text, root).follow(path);
  if (missing.length > 0 || wrong !== undefined) return [];
  return (at.children ?? []).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
};
