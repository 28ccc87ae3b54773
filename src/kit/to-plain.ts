// Converts any value to one that JSON can represent.
import { describeThrown, isRecord, MAX_JSON_DEPTH } from './json.ts';

const MAX_CONTAINERS = 250_000;

class TooLargeError extends Error {}

const errorFields = ['code', 'details'] as const;

const readClassName = (value: object): string => {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object';
};

const describeBinaryOrCollection = (value: object): string | undefined => {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return `[${readClassName(value)} of ${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return `[${readClassName(value)} of ${value.size}]`;
  return undefined;
};

const findToJson = (value: object): (() => unknown) | undefined => {
  if (!('toJSON' in value)) return undefined;
  const { toJSON } = value;
  return typeof toJSON === 'function' ? () => toJSON.call(value, '') : undefined;
};

class PlainConverter {
  readonly #around: object[] = [];
  #containers = 0;

  of(value: unknown): unknown {
    switch (typeof value) {
      case 'object':
        return value === null ? null : this.#ofObject(value);
      case 'bigint':
        return `[bigint ${value}]`;
      case 'function':
      case 'symbol':
        return `[${typeof value}]`;
      default:
        return value;
    }
  }

  #ofObject(value: object): unknown {
    if (this.#around.includes(value)) return '[circular]';
    if (this.#around.length > MAX_JSON_DEPTH) return `[nested deeper than ${MAX_JSON_DEPTH} levels]`;
    this.#containers += 1;
    if (this.#containers > MAX_CONTAINERS) throw new TooLargeError(`more than ${MAX_CONTAINERS} objects and arrays`);
    this.#around.push(value);
    try {
      if (Array.isArray(value)) return this.#ofArray(value);
      if (value instanceof Error) return this.#ofError(value);
      const text = describeBinaryOrCollection(value);
      if (text !== undefined) return text;
      const jsonForm = findToJson(value);
      if (jsonForm !== undefined) return this.of(jsonForm());
      return isRecord(value) ? this.#ofRecord(value) : value;
    } catch (thrown) {
      if (thrown instanceof TooLargeError) throw thrown;
      return `[unreadable: ${describeThrown(thrown)}]`;
    } finally {
      this.#around.pop();
    }
  }

  #ofArray(value: readonly unknown[]): unknown {
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const member = value[index];
      const plain = this.of(member);
      if (plain === member) continue;
      copy ??= value.slice();
      copy[index] = plain;
    }
    return copy ?? value;
  }

  #ofRecord(value: Record<string, unknown>): unknown {
    let changed: Map<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const member = this.#read(value, key);
      const plain = this.of(member);
      if (plain === member && !isUnreadable(plain)) continue;
      changed ??= new Map();
      changed.set(key, plain);
    }
    return changed === undefined ? value : withReplacedMembers(value, changed);
  }

  /** `JSON.stringify` omits the name and message of an error, because they are not enumerable. */
  #ofError(error: Error): unknown {
    const plain: Record<string, unknown> = { name: this.of(error.name), message: this.of(error.message) };
    for (const field of errorFields) {
      const member: unknown = Reflect.get(error, field);
      if (member !== undefined) plain[field] = this.of(member);
    }
    return plain;
  }

  #read(value: Record<string, unknown>, key: string): unknown {
    try {
      return value[key];
    } catch (thrown) {
      return `${UNREADABLE_PREFIX}${describeThrown(thrown)}]`;
    }
  }
}

const UNREADABLE_PREFIX = '[unreadable: ';

const isUnreadable = (value: unknown): boolean => typeof value === 'string' && value.startsWith(UNREADABLE_PREFIX);

/**
 * `Object.fromEntries` keeps `__proto__` as a plain member. Replaced members are not read again, because their getters
 * may throw.
 */
const withReplacedMembers = (
  value: Record<string, unknown>,
  changed: ReadonlyMap<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.keys(value).map((key) => [key, changed.has(key) ? changed.get(key) : value[key]]));

/**
 * Errors become objects with name and message; values without a JSON form become a description in brackets. Returns the
 * same value if nothing has to change.
 */
export const toPlain = (value: unknown): unknown => {
  try {
    return new PlainConverter().of(value);
  } catch (thrown) {
    return `[too large: ${describeThrown(thrown)}]`;
  }
};
