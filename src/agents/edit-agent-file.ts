// Adds and removes hooks in an agent's settings file, and keeps its layout and comments.
import { dirname, join } from 'node:path';
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { escapeUnprintable, findJsonExcess, hasSameJsonText, isRecord, readAtPath } from '../kit/index.ts';
import { resolvePaths, type SearchLocations } from './find-agent-files.ts';
import type { JsonObject, Scope } from './rule-types.ts';
import type { AgentRules } from './rules.ts';

export const hasHandlerGroups = ({ forms, writes, events, latest }: AgentRules, event: string): boolean => {
  const nesting = forms.settings?.nesting ?? 'groups';
  const rule = events(latest)[event];
  return nesting === 'groups' || (nesting === 'both' && rule !== undefined && writes.grouped?.(rule) === true);
};

export const resolveAgentFilePath = (to: AgentRules, scope: Scope, place: SearchLocations, name = 'hooks'): string => {
  const path = scope === 'project' ? to.writes.path : undefined;
  const rule = to.files.find((file) => file.scope === scope && file.form === undefined);
  const [found = ''] =
    path !== undefined ? resolvePaths({ scope, path }, place) : rule === undefined ? [] : resolvePaths(rule, place);
  return found.endsWith('*.json') ? join(dirname(found), `${name}.json`) : found;
};

/** The values come from other people's files and may contain invisible characters. */
const toJsonText = (value: unknown, unit?: string): string =>
  escapeUnprintable(JSON.stringify(value, null, unit) ?? 'null');

const BYTE_ORDER_MARK = '\uFEFF';

type JsonPath = (string | number)[];

/** New members get the indentation of the file; all other text stays as it is. */
class SettingsEditor {
  readonly #eol: string;
  readonly #unit: string;
  #text: string;

  constructor(text: string) {
    this.#text = text.trim() === '' ? '{}\n' : text;
    this.#eol = text.includes('\r\n') ? '\r\n' : '\n';
    const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
    this.#unit = indent.startsWith('\t') ? '\t' : indent;
  }

  get text(): string {
    return this.#text;
  }

  get root(): unknown {
    return parse(this.#text);
  }

  #node(path: JsonPath): Node | undefined {
    const tree = parseTree(this.#text, [], { allowTrailingComma: true });
    return tree === undefined ? undefined : path.length === 0 ? tree : findNodeAtLocation(tree, path);
  }

  #replace(from: number, to: number, by: string): void {
    this.#text = `${this.#text.slice(0, from)}${by}${this.#text.slice(to)}`;
  }

  #indentAt(offset: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf('\n', offset - 1) + 1, offset);
    return /^[ \t]*/.exec(line)?.[0] ?? '';
  }

  #pretty(value: unknown, indent: string): string {
    return toJsonText(value, this.#unit).replaceAll('\n', `${this.#eol}${indent}`);
  }

  #append(parent: Node, write: (show: (value: unknown) => string) => string): void {
    const children = parent.children ?? [];
    const [first] = children;
    const last = children.at(-1);
    if (first === undefined || last === undefined) {
      const outer = this.#indentAt(parent.offset);
      const inner = `${outer}${this.#unit}`;
      const text = write((value) => this.#pretty(value, inner));
      this.#replace(
        parent.offset + 1,
        parent.offset + parent.length - 1,
        `${this.#eol}${inner}${text}${this.#eol}${outer}`,
      );
      return;
    }
    const isInLines = this.#text.slice(parent.offset, first.offset).includes('\n');
    const end = last.offset + last.length;
    const indent = this.#indentAt(first.offset);
    const inLine = (value: unknown): string => toJsonText(value, ' ').replace(/\n\s*/g, ' ');
    const text = isInLines
      ? `,${this.#eol}${indent}${write((value) => this.#pretty(value, indent))}`
      : `, ${write(inLine)}`;
    this.#replace(end, end, text);
  }

  push(path: JsonPath, value: unknown): void {
    const list = this.#node(path);
    if (list !== undefined) this.#append(list, (show) => show(value));
  }

  set(path: JsonPath, key: string, value: unknown): void {
    const object = this.#node(path);
    if (object !== undefined) this.#append(object, (show) => `${toJsonText(key)}: ${show(value)}`);
  }

  remove(path: JsonPath): void {
    const value = this.#node(path);
    const item = value?.parent?.type === 'property' ? value.parent : value;
    const siblings = item?.parent?.children ?? [];
    const index = item === undefined ? -1 : siblings.indexOf(item);
    const [before, after] = [siblings[index - 1], siblings[index + 1]];
    if (item === undefined || item.parent === undefined || index === -1) return;
    if (before !== undefined) this.#replace(before.offset + before.length, item.offset + item.length, '');
    else if (after !== undefined) this.#replace(item.offset, after.offset, '');
    else this.#replace(item.parent.offset + 1, item.parent.offset + item.parent.length - 1, '');
  }
}

export type EditedText = { readonly text: string; readonly count: number } | { readonly trouble: string };

const findJsonProblem = (text: string): string | undefined => {
  const excess = findJsonExcess(text);
  if (excess !== undefined) return excess.message;
  const errors: ParseError[] = [];
  const root: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    return `is not JSON (line ${line}: ${printParseErrorCode(first.error)})`;
  }
  return isRecord(root) ? undefined : 'is not a JSON object';
};

const editText = (given: string, change: (editor: SettingsEditor) => number | string): EditedText => {
  const mark = given.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = given.slice(mark.length);
  const trouble = findJsonProblem(text);
  if (trouble !== undefined) return { trouble };
  const editor = new SettingsEditor(text);
  const count = change(editor);
  if (typeof count === 'string') return { trouble: count };
  if (count === 0) return { text: given, count };
  return { text: `${mark}${editor.text}`, count };
};

export const addHooksToText = (given: string, settings: JsonObject): EditedText =>
  editText(given, (editor) => {
    let added = 0;
    for (const [key, value] of Object.entries(settings)) {
      const there = readAtPath(editor.root, [key]);
      if (!isRecord(value)) {
        if (there === undefined) editor.set([], key, value);
        continue;
      }
      if (there !== undefined && !isRecord(there)) return `has something else than an object under "${key}"`;
      for (const [event, groups] of Object.entries(value)) {
        const found = readAtPath(there, [event]);
        if (found !== undefined && !Array.isArray(found))
          return `has something else than a list under "${key}.${event}"`;
        const list = found === undefined ? [] : found;
        const fresh = (Array.isArray(groups) ? groups : []).filter(
          (group) => !list.some((one) => hasSameJsonText(one, group)),
        );
        if (readAtPath(editor.root, [key]) === undefined && fresh.length > 0) editor.set([], key, { [event]: fresh });
        else if (found === undefined && fresh.length > 0) editor.set([key], event, fresh);
        else for (const group of fresh) editor.push([key, event], group);
        added += fresh.length;
      }
    }
    return added;
  });

const removeIfEmpty = (editor: SettingsEditor, path: JsonPath): void => {
  const value = readAtPath(editor.root, path);
  const isEmpty = Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
  if (!isEmpty || path.length === 0) return;
  editor.remove(path);
  removeIfEmpty(editor, path.slice(0, -1));
};

export const removeHandlersFromText = (
  given: string,
  isMeant: (handler: Readonly<JsonObject>) => boolean,
): EditedText =>
  editText(given, (editor) => {
    const root = editor.root;
    if (!isRecord(root)) return 0;
    const found: JsonPath[] = [];
    for (const [key, events] of Object.entries(root)) {
      if (!isRecord(events)) continue;
      for (const [event, list] of Object.entries(events)) {
        if (!Array.isArray(list)) continue;
        for (const [index, item] of list.entries()) {
          if (!isRecord(item)) continue;
          if (isMeant(item)) found.push([key, event, index]);
          for (const [inner, handler] of (Array.isArray(item.hooks) ? item.hooks : []).entries())
            if (isRecord(handler) && isMeant(handler)) found.push([key, event, index, 'hooks', inner]);
        }
      }
    }
    // From last to first, so that earlier paths stay valid.
    for (const path of found.reverse()) {
      const [key = '', event = '', index = 0] = path;
      editor.remove(path);
      const group = readAtPath(editor.root, [key, event, index]);
      if (path.length > 3 && isRecord(group) && Array.isArray(group.hooks) && group.hooks.length === 0)
        editor.remove([key, event, index]);
      removeIfEmpty(editor, [key, event]);
    }
    return found.length;
  });
