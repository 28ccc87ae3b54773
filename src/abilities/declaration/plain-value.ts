// Converts a parsed YAML document into plain data, with the offset of every value.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { appendToPath, describeValue, isPrototypeKey, omitUndefined } from '../../kit/index.ts';

export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

export interface ReadYaml {
  readonly value?: unknown;
  /** Path, such as `match.ability_scope[0]`, → offset of the value; `match.ability_scope@key` → offset of the key. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly problems: readonly YamlProblem[];
}

/** Limits against hostile documents; real declarations are far smaller. */
const MAX_YAML_DEPTH = 20;
const MAX_YAML_VALUES = 10_000;
const MAX_YAML_ALIASES = 100;

class RefusedYaml extends Error {
  readonly problem: YamlProblem;

  constructor(offset: number, message: string, hint?: string) {
    super(message);
    this.problem = omitUndefined({ offset, message, hint });
  }
}

class YamlValueReader {
  readonly offsets = new Map<string, number>();
  readonly #document: Document;
  readonly #open = new Set<Node>();
  #values = 0;
  #aliases = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  read(node: unknown, path: string, at: number): unknown {
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#readAlias(node, path, at);
    if (isScalar(node)) return this.#count(node, path, at, () => node.value);
    if (isMap(node)) return this.#count(node, path, at, (offset) => this.#readMap(node.items, path, offset));
    if (isSeq(node)) {
      return this.#count(node, path, at, (offset) =>
        node.items.map((item, index) => this.read(item, appendToPath(path, index), offset)),
      );
    }
    throw new RefusedYaml(at, 'this is not a value');
  }

  #count(node: Node, path: string, at: number, read: (offset: number) => unknown): unknown {
    const offset = node.range?.[0] ?? at;
    if (!this.offsets.has(path)) this.offsets.set(path, offset);
    this.#values += 1;
    if (this.#values > MAX_YAML_VALUES) throw new RefusedYaml(offset, `there are more than ${MAX_YAML_VALUES} values`);
    if (this.#open.has(node)) throw new RefusedYaml(at, 'this value contains itself');
    if (this.#open.size >= MAX_YAML_DEPTH)
      throw new RefusedYaml(offset, `this nests deeper than ${MAX_YAML_DEPTH} levels`);
    this.#open.add(node);
    const value = read(offset);
    this.#open.delete(node);
    return value;
  }

  #readAlias(alias: Node & { resolve: (document: Document) => unknown }, path: string, at: number): unknown {
    const offset = alias.range?.[0] ?? at;
    this.#aliases += 1;
    if (this.#aliases > MAX_YAML_ALIASES)
      throw new RefusedYaml(offset, `more than ${MAX_YAML_ALIASES} aliases are used`);
    this.offsets.set(path, offset);
    const target = alias.resolve(this.#document);
    if (target !== undefined) return this.read(target, path, offset);
    const message = 'a value that begins with * means an alias in YAML; there is no anchor of that name';
    throw new RefusedYaml(offset, message, 'put globs and texts that begin with * in quotes');
  }

  #readMap(items: readonly { key: unknown; value: unknown }[], path: string, at: number): Record<string, unknown> {
    const read: Record<string, unknown> = {};
    for (const { key: node, value } of items) {
      const key = isScalar(node) ? node.value : undefined;
      const offset = isScalar(node) ? (node.range?.[0] ?? at) : at;
      if (typeof key !== 'string') {
        const found = isScalar(node) ? describeValue(key) : 'something else';
        throw new RefusedYaml(offset, `a key must be text, found ${found}`, 'put it in quotes');
      }
      if (isPrototypeKey(key)) throw new RefusedYaml(offset, `"${key}" may not be a key`);
      const inner = appendToPath(path, key);
      if (Object.hasOwn(read, key)) {
        throw new RefusedYaml(offset, `the key "${inner}" is there twice`, 'remove one of the two');
      }
      this.offsets.set(`${inner}@key`, offset);
      read[key] = this.read(value, inner, offset);
    }
    return read;
  }
}

export const toPlainValue = (document: Document): ReadYaml => {
  const walk = new YamlValueReader(document);
  try {
    return { value: walk.read(document.contents, '', 0), offsets: walk.offsets, problems: [] };
  } catch (error) {
    if (!(error instanceof RefusedYaml)) throw error;
    return { offsets: walk.offsets, problems: [error.problem] };
  }
};
