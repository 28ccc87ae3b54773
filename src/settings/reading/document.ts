import type { Node } from 'jsonc-parser';
import { lineIndex } from '../../kit/index.ts';
import {
  type ConfigProblem,
  type ConfigSource,
  type FilePosition,
  type NoticeCode,
  type Place,
  placeAt,
  placeOf,
  type SettingsFinding,
  type SettingsSheet,
} from '../../protocol/index.ts';
import { holdsGuard } from '../../registry/index.ts';
import type { SourceFile } from '../source-file.ts';
import { parseJsonc } from './parse-jsonc.ts';

/** Says of a value built from the text where it stands. */
type Locate = <T extends object>(value: T, node: Node, path: string, members: ReadonlyMap<string, number>) => T;

interface Member {
  readonly key: string;
  readonly at: Node;
  readonly value: Node;
}

const found = new WeakMap<Node, readonly Member[]>();

/** Asked of the same node again and again, which may have thousands. */
const membersOf = (node: Node): readonly Member[] => {
  const known = found.get(node) ?? membersIn(node);
  found.set(node, known);
  return known;
};

const membersIn = (node: Node): Member[] =>
  (node.children ?? []).flatMap(({ children: [at, value] = [] }) =>
    at === undefined || value === undefined ? [] : [{ key: String(at.value), at, value }],
  );

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** What stands for a member in the text; the last one, when a key is there twice. */
const memberOf = (node: Node | undefined, key: string): Member | undefined =>
  node?.type === 'object' ? membersOf(node).findLast((member) => member.key === key) : undefined;

/** Where a member of a member is, when it is not one of its own. */
const placeAround = (value: object, path: string): Place | undefined => {
  const isAround = (place: Place | undefined): boolean =>
    place !== undefined && path.startsWith(place.path) && /^[.[]/.test(path.slice(place.path.length));
  return Object.values(value).map(placeOf).find(isAround);
};

/** One settings file, parsed: its values, and where in it each of them stands. */
export class SettingsDocument {
  readonly file: SourceFile;
  readonly problems: ConfigProblem[] = [];
  /** Whether something was wrong with the text itself. */
  readonly isBroken: boolean;
  readonly #root: Node | undefined;
  readonly #certainUntil: number;
  readonly #lineAt: ReturnType<typeof lineIndex>;

  constructor(file: SourceFile, text: string) {
    const { root, problems, certainUntil } = parseJsonc(text);
    this.file = file;
    this.#lineAt = lineIndex(text);
    this.#root = root;
    this.#certainUntil = certainUntil;
    this.isBroken = certainUntil !== Number.POSITIVE_INFINITY || root?.type !== 'object';
    for (const { offset, message } of problems) {
      this.report(
        { code: 'syntax-error', skipped: this.isBroken, path: '', message },
        this.positionAt(offset),
        'error',
      );
    }
    if (root !== undefined && root.type !== 'object') {
      const message = `settings must be an object, found ${root.type === 'array' ? 'an array' : `a ${root.type}`}`;
      this.report({ code: 'invalid-value', skipped: true, path: '', message }, this.positionAt(root.offset), 'error');
    }
  }

  get source(): ConfigSource {
    return this.file.scope;
  }

  positionAt(offset: number): FilePosition {
    return { file: this.file.path, ...this.#lineAt(offset) };
  }

  report(
    finding: SettingsFinding,
    position: Partial<FilePosition> = { file: this.file.path },
    severity: ConfigProblem['severity'] = 'warning',
  ): void {
    this.problems.push({ severity, source: this.source, ...finding, ...position });
  }

  /** Something about the file as a whole. */
  tell(code: NoticeCode, message: string, severity: ConfigProblem['severity'] = 'error'): void {
    this.report({ code, skipped: severity === 'error', path: '', message }, undefined, severity);
  }

  /** The keys of the file, or of one of its members, and where they stand. */
  keysOf(key?: string): { readonly key: string; readonly position: FilePosition }[] {
    const node = key === undefined ? this.#root : memberOf(this.#root, key)?.value;
    if (node?.type !== 'object') return [];
    return membersOf(node).map((member) => ({ key: member.key, position: this.positionAt(member.at.offset) }));
  }

  /** A member of the file as a value; nothing when it is not there. Objects and lists in it know their places. */
  read(key: string, sheet: SettingsSheet = { file: this.file.path }): { readonly value: unknown } | undefined {
    const member = memberOf(this.#root, key);
    return member === undefined ? undefined : { value: this.#build(member.value, key, this.#locator(sheet)) };
  }

  positionOf(key: string): FilePosition {
    const { offset } = memberOf(this.#root, key)?.at ?? { offset: 0 };
    return this.positionAt(offset);
  }

  #locator(sheet: SettingsSheet): Locate {
    return (value, node, path, members) => {
      const own = this.positionAt(node.offset);
      const isUncertain = node.offset + node.length > this.#certainUntil || node.length < 0;
      const { line, column } = this.positionAt(this.#certainUntil);
      const place: Place = {
        sheet,
        path,
        positionOf: (wanted) => {
          if (wanted === undefined) return own;
          const offset = members.get(wanted);
          return offset === undefined
            ? (placeAround(value, wanted)?.positionOf(wanted) ?? own)
            : this.positionAt(offset);
        },
        ...(isUncertain ? { flaw: `${path} may be wrong: correct the syntax at ${line}:${column}` } : {}),
      };
      return placeAt(value, place);
    };
  }

  #build(node: Node, path: string, locate: Locate): unknown {
    if (node.type === 'array') {
      const items = node.children ?? [];
      const offsets = new Map(items.map((item, index) => [`${path}[${index}]`, item.offset]));
      return locate(
        items.map((item, index) => this.#build(item, `${path}[${index}]`, locate)),
        node,
        path,
        offsets,
      );
    }
    if (node.type !== 'object') return node.value;
    const members = membersOf(node);
    const offsets = new Map(members.map(({ key, at }) => [join(path, key), at.offset]));
    // Unlike an assignment, this gives the object a member of its own whatever its name is.
    const value = Object.fromEntries(
      members.map((member) => [member.key, this.#build(member.value, join(path, member.key), locate)]),
    );
    return locate(value, node, path, offsets);
  }

  /** Keys that are there twice, of which only the last counts; `about` says which members of the file are ours. */
  reportDuplicates(about: (key: string) => boolean): void {
    this.#findDuplicates(this.#root, '', about);
  }

  #findDuplicates(node: Node | undefined, path: string, about: (key: string) => boolean = () => true): void {
    if (node?.type === 'array') {
      for (const [index, item] of (node.children ?? []).entries()) this.#findDuplicates(item, `${path}[${index}]`);
    }
    if (node?.type !== 'object') return;
    const members = membersOf(node).filter(({ key }) => about(key));
    const last = new Map(members.map((member) => [member.key, member]));
    for (const member of members) {
      const at = join(path, member.key);
      const counting = last.get(member.key);
      if (counting === undefined || counting === member) {
        this.#findDuplicates(member.value, at);
        continue;
      }
      const { line } = this.positionAt(counting.at.offset);
      const message = `${at} is there twice: this one is ignored, the one in line ${line} counts; merge them`;
      const lost = this.#build(member.value, at, (value) => value);
      const severity = holdsGuard(isEvents(path) ? lost : undefined) ? 'error' : 'warning';
      this.report(
        { code: 'duplicate-key', skipped: true, path: at, message },
        this.positionAt(member.at.offset),
        severity,
      );
    }
  }
}

const isEvents = (path: string): boolean => path === 'hooks';
