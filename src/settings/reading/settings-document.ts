/** A parsed settings file: its values, their positions, its problems. */
import { appendToPath, createLineIndex } from '../../kit/index.ts';
import type { ConfigProblem, FilePosition, NoticeCode, SettingsFinding } from '../../protocol/index.ts';
import { containsGuard } from '../../registry/index.ts';
import type { SourceFile } from '../source-file.ts';
import { type JsonNode, parseJsonc } from './parse-jsonc.ts';

interface JsonMember {
  readonly key: string;
  readonly at: JsonNode;
  readonly value: JsonNode;
}

const memberCache = new WeakMap<JsonNode, readonly JsonMember[]>();

const readMembers = (node: JsonNode): readonly JsonMember[] => {
  const known = memberCache.get(node) ?? listMembers(node);
  memberCache.set(node, known);
  return known;
};

const listMembers = (node: JsonNode): JsonMember[] =>
  (node.children ?? []).flatMap(({ children: [at, value] = [] }) =>
    at === undefined || value === undefined ? [] : [{ key: String(at.value), at, value }],
  );

const findMember = (node: JsonNode | undefined, key: string): JsonMember | undefined =>
  node?.type === 'object' ? readMembers(node).findLast((member) => member.key === key) : undefined;

interface FoundValue {
  readonly node: JsonNode;
  readonly offset: number;
  readonly isExact: boolean;
}

/** Returns the nearest enclosing object or list if the path does not exist. Keys may contain dots and brackets. */
const findValue = (node: JsonNode, offset: number, rest: string): FoundValue => {
  if (rest === '') return { node, offset, isExact: true };
  const around = { node, offset: node.offset, isExact: false };
  const into = (value: JsonNode | undefined, at: number | undefined, length: number): FoundValue => {
    if (value === undefined || at === undefined) return around;
    const found = findValue(value, at, rest.slice(length));
    return found.isExact || found.node.children !== undefined ? found : around;
  };
  if (node.type === 'array') {
    const [step = '', index] = /^\[(\d+)\]/.exec(rest) ?? [];
    const item = node.children?.[Number(index)];
    return into(item, item?.offset, step.length);
  }
  const start = rest.startsWith('.') ? 1 : 0;
  let nearest = around;
  for (const { index: end } of rest.slice(start).matchAll(/[.[]|$/g)) {
    const member = findMember(node, rest.slice(start, start + end));
    const found = into(member?.value, member?.at.offset, start + end);
    if (found.isExact) return found;
    if (found !== around) nearest = found;
  }
  return nearest;
};

/** `Object.fromEntries` also creates an own member `__proto__`; an assignment would not. */
const toPlainValue = (node: JsonNode): unknown => {
  if (node.type === 'array') return (node.children ?? []).map(toPlainValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(readMembers(node).map(({ key, value }) => [key, toPlainValue(value)]));
};

export class SettingsDocument {
  readonly file: SourceFile;
  readonly problems: ConfigProblem[] = [];
  readonly isBroken: boolean;
  readonly #root: JsonNode | undefined;
  readonly #certainUntil: number;
  readonly #lineAt: ReturnType<typeof createLineIndex>;

  constructor(file: SourceFile, text: string, { root, problems, certainUntil } = parseJsonc(text)) {
    this.file = file;
    this.#lineAt = createLineIndex(text);
    this.#root = root;
    this.#certainUntil = certainUntil;
    this.isBroken = certainUntil !== Number.POSITIVE_INFINITY || root?.type !== 'object';
    const finding = { code: 'syntax-error', skipped: this.isBroken, path: '' } as const;
    for (const { offset, message } of problems) this.report({ ...finding, message }, this.positionAt(offset), 'error');
    if (root !== undefined && root.type !== 'object') {
      const message = `settings must be an object, found ${root.type === 'array' ? 'an array' : `a ${root.type}`}`;
      this.report({ code: 'invalid-value', skipped: true, path: '', message }, this.positionAt(root.offset), 'error');
    }
  }

  positionAt(offset: number): FilePosition {
    return { file: this.file.path, ...this.#lineAt(offset) };
  }

  report(
    finding: SettingsFinding,
    position: Partial<FilePosition> = { file: this.file.path },
    severity: ConfigProblem['severity'] = 'warning',
  ): void {
    this.problems.push({ severity, source: this.file.scope, ...finding, ...position });
  }

  reportAtPath(finding: SettingsFinding, severity?: ConfigProblem['severity']): void {
    this.report(finding, this.positionOf(finding.path), severity);
  }

  reportFile(code: NoticeCode, message: string, severity: ConfigProblem['severity'] = 'error'): void {
    this.report({ code, skipped: severity === 'error', path: '', message }, undefined, severity);
  }

  keysOf(key?: string): { readonly key: string; readonly position: FilePosition }[] {
    const node = key === undefined ? this.#root : findMember(this.#root, key)?.value;
    if (node?.type !== 'object') return [];
    return readMembers(node).map((member) => ({ key: member.key, position: this.positionAt(member.at.offset) }));
  }

  read(key: string): { readonly value: unknown } | undefined {
    const member = findMember(this.#root, key);
    return member === undefined ? undefined : { value: toPlainValue(member.value) };
  }

  /** If the path (`hooks.BeforeTool[0].matcher`) does not exist, the position of the nearest enclosing value. */
  positionOf(path: string): FilePosition {
    const found = this.#root === undefined ? undefined : findValue(this.#root, 0, path);
    return this.positionAt(found === undefined || found.node === this.#root ? 0 : found.offset);
  }

  flawOf(path: string): string | undefined {
    if (!this.isBroken || this.#root === undefined) return undefined;
    const { node } = findValue(this.#root, 0, path);
    if (node.offset + node.length <= this.#certainUntil && node.length >= 0) return undefined;
    const { line, column } = this.positionAt(this.#certainUntil);
    return `${path} may be wrong: correct the syntax at ${line}:${column}`;
  }

  /** Only the last of repeated keys is read. `about` selects the top-level members that hookwright reads. */
  reportDuplicates(about: (key: string) => boolean): void {
    this.#findDuplicates(this.#root, '', about);
  }

  #findDuplicates(node: JsonNode | undefined, path: string, about: (key: string) => boolean = () => true): void {
    if (node?.type === 'array') {
      for (const [index, item] of (node.children ?? []).entries())
        this.#findDuplicates(item, appendToPath(path, index));
    }
    if (node?.type !== 'object') return;
    const members = readMembers(node).filter(({ key }) => about(key));
    const last = new Map(members.map((member) => [member.key, member]));
    for (const member of members) {
      const at = appendToPath(path, member.key);
      const counting = last.get(member.key);
      if (counting === undefined || counting === member) {
        this.#findDuplicates(member.value, at);
        continue;
      }
      const { line } = this.positionAt(counting.at.offset);
      const message = `${at} is there twice: this one is ignored, the one in line ${line} counts; merge them`;
      const severity = containsGuard(toPlainValue(member.value)) ? 'error' : 'warning';
      const finding = { code: 'duplicate-key', skipped: true, path: at, message } as const;
      this.report(finding, this.positionAt(member.at.offset), severity);
    }
  }
}
