import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { isRecord, type LineAndColumn, lineIndex, pathText } from '../../kit/index.ts';
import { parseJsonc } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';

/** The keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

export type MomentOf = (event: string) => string | undefined;

/** A file in which events go by the names of another agent, with ours in their place. */
const inOurEvents = (value: unknown, momentOf: MomentOf): unknown => {
  if (!isRecord(value)) return value;
  const { event, tests } = value;
  return {
    ...value,
    ...(typeof event === 'string' ? { event: momentOf(event) ?? event } : {}),
    ...(Array.isArray(tests) ? { tests: tests.map((test) => inOurEvents(test, momentOf)) } : {}),
  };
};

/** A file of tests as it was parsed: its value, where everything stands in it, and what is wrong. */
export class TestDocument {
  readonly file: string;
  readonly problems: CliProblem[] = [];
  readonly value: unknown;
  readonly #root: Node | undefined;
  readonly #lineAt: (offset: number) => LineAndColumn;

  /** `momentOf`: our event for the name that an agent gives it. */
  constructor(file: string, text: string, momentOf?: MomentOf) {
    const { root, problems } = parseJsonc(text);
    this.file = file;
    this.#lineAt = lineIndex(text);
    this.#root = root;
    for (const { offset, message } of problems) {
      this.problems.push({ severity: 'error', message, file, ...this.#lineAt(offset) });
    }
    const value = root === undefined ? undefined : this.#build(root, []);
    this.value = momentOf === undefined ? value : inOurEvents(value, momentOf);
  }

  /** Where a value stands, or the nearest thing around it that is there. */
  positionOf(path: JsonPath): LineAndColumn {
    const node = this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
    if (node !== undefined) return this.#lineAt(node.offset);
    return path.length === 0 ? { line: 1, column: 1 } : this.positionOf(path.slice(0, -1));
  }

  /** Where the key of a member stands. */
  #keyPosition(path: JsonPath): LineAndColumn {
    const node = this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
    const key = node?.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    return key === undefined ? this.positionOf(path) : this.#lineAt(key.offset);
  }

  report(path: JsonPath, message: string, at: 'value' | 'key' = 'value'): void {
    const position = at === 'key' ? this.#keyPosition(path) : this.positionOf(path);
    this.problems.push({ severity: 'error', message, file: this.file, ...position });
  }

  #build(node: Node, path: JsonPath): unknown {
    if (node.type === 'array') return (node.children ?? []).map((item, index) => this.#build(item, [...path, index]));
    if (node.type !== 'object') return node.value;
    const members = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [{ key: String(key.value), at: key.offset, value }],
    );
    const seen = new Set<string>();
    for (const { key, at } of members) {
      if (seen.has(key)) {
        const message = `${pathText([...path, key])} is there twice; keep one of the two`;
        this.problems.push({ severity: 'error', message, file: this.file, ...this.#lineAt(at) });
      }
      seen.add(key);
    }
    // Unlike an assignment, this gives the object a member of its own whatever its name is.
    return Object.fromEntries(members.map(({ key, value }) => [key, this.#build(value, [...path, key])]));
  }
}
