// Adds and removes hooks in an agent's settings file, and keeps its layout and comments.
import { dirname, join } from 'node:path';
import { applyEdits, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import {
  detectTextStyle,
  findJsonExcess,
  findMember,
  formatJson,
  hasSameJsonText,
  insertMember,
  isRecord,
  type JsonTreeNode,
  readAtPath,
  removeMember,
  renderValue,
  withoutByteOrderMark,
} from '../kit/index.ts';
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

type JsonPath = readonly (string | number)[];

/** Changes one member at a time; all other text stays as it is. */
class SettingsEditor {
  #text: string;

  constructor(text: string) {
    this.#text = text.trim() === '' ? '{}\n' : text;
  }

  get text(): string {
    return this.#text;
  }

  get root(): unknown {
    return parse(this.#text);
  }

  /** Returns the root and the node after each step of the path. */
  #follow(path: JsonPath): readonly (JsonTreeNode | undefined)[] {
    let node: JsonTreeNode | undefined = parseTree(this.#text, [], { allowTrailingComma: true });
    const nodes = [node];
    for (const key of path) {
      node = typeof key === 'number' ? node?.children?.[key] : node && findMember(node, key);
      nodes.push(node);
    }
    return nodes;
  }

  #insert(path: JsonPath, render: (show: (value: unknown) => string) => string): void {
    const nodes = this.#follow(path);
    const [root, container] = [nodes[0], nodes.at(-1)];
    if (root === undefined || container === undefined) return;
    const style = detectTextStyle(this.#text, root);
    const renderMember = (outer: string | undefined): string => render((value) => renderValue(value, outer, style));
    this.#text = applyEdits(this.#text, [...insertMember(this.#text, container, renderMember, style)]);
  }

  push(path: JsonPath, value: unknown): void {
    this.#insert(path, (show) => show(value));
  }

  set(path: JsonPath, key: string, value: unknown): void {
    this.#insert(path, (show) => `${formatJson(key)}: ${show(value)}`);
  }

  remove(path: JsonPath): void {
    const [container, value] = this.#follow(path).slice(-2);
    const member = container?.children?.find((child) => child === value || child.children?.[1] === value);
    if (container !== undefined && member !== undefined && value !== undefined)
      this.#text = applyEdits(this.#text, [...removeMember(this.#text, container, member)]);
  }

  /** A list or an object with a comment is not empty. */
  isEmpty(path: JsonPath): boolean {
    const { offset = 0, length = 0 } = this.#follow(path).at(-1) ?? {};
    return /^(?:\[\s*\]|\{\s*\})$/.test(this.#text.slice(offset, offset + length));
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
  const text = withoutByteOrderMark(given);
  const trouble = findJsonProblem(text);
  if (trouble !== undefined) return { trouble };
  const editor = new SettingsEditor(text);
  const count = change(editor);
  if (typeof count === 'string') return { trouble: count };
  if (count === 0) return { text: given, count };
  return { text: given.slice(0, given.length - text.length) + editor.text, count };
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
  if (path.length === 0 || !editor.isEmpty(path)) return;
  editor.remove(path);
  removeIfEmpty(editor, path.slice(0, -1));
};

type HandlerPath = readonly [key: string, event: string, index: number, ...inner: (string | number)[]];

type HandlerTest = (handler: Readonly<JsonObject>) => boolean;

const findHandlers = (root: unknown, isMeant: HandlerTest): HandlerPath[] => {
  const found: HandlerPath[] = [];
  for (const [key, events] of Object.entries(isRecord(root) ? root : {})) {
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
  return found;
};

export const listEventsWithHandlers = (given: string, isMeant: HandlerTest): string[] =>
  findHandlers(parse(withoutByteOrderMark(given)), isMeant).map(([, event]) => event);

export const removeHandlersFromText = (given: string, isMeant: HandlerTest): EditedText =>
  editText(given, (editor) => {
    const found = findHandlers(editor.root, isMeant);
    // From last to first, so that earlier paths stay valid.
    for (const path of found.reverse()) {
      const [key, event, index] = path;
      editor.remove(path);
      const group = readAtPath(editor.root, [key, event, index]);
      if (path.length > 3 && isRecord(group) && Array.isArray(group.hooks) && group.hooks.length === 0)
        editor.remove([key, event, index]);
      removeIfEmpty(editor, [key, event]);
    }
    return found.length;
  });
