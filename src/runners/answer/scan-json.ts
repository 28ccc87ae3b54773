// Finds the end of one JSON value in a text without parsing it, or why the value is incomplete.
import { MAX_JSON_DEPTH } from '../../kit/index.ts';

export const MAX_JSON_MEMBERS = 25_000;
export const MAX_JSON_ELEMENTS = 100_000;

export interface DoubledKey {
  readonly at: number;
  readonly path: readonly string[];
}

export interface JsonExtent {
  readonly how: 'whole' | 'broken' | 'cut-off' | 'too-deep' | 'too-full';
  readonly end: number;
  readonly members: number;
  readonly doubled: readonly DoubledKey[];
  readonly open: readonly { readonly start: number; readonly firstKey: string | undefined }[];
  readonly inner: readonly { readonly start: number; readonly end: number; readonly inArray: boolean }[];
  /** Positions of brackets inside strings. If a quotation mark is missing, they may really be outside. */
  readonly quoted: readonly number[];
}

const QUOTE_CODE = 0x22;
const COMMA_CODE = 0x2c;
const COLON_CODE = 0x3a;
const OPEN_BRACKET_CODE = 0x5b;
const BACKSLASH_CODE = 0x5c;
const CLOSE_BRACKET_CODE = 0x5d;
const OPEN_BRACE_CODE = 0x7b;
const CLOSE_BRACE_CODE = 0x7d;
const SPACE_CODE = 0x20;

const MAX_ESCAPE_LENGTH = 6;

const scalarPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const wordAtLineEndPattern = /[-+.\w]+[ \t\r]*(?:\n|$)/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

interface OpenContainer {
  readonly start: number;
  readonly isObject: boolean;
  readonly key: string;
  keys: Set<string> | undefined;
  firstKey: string | undefined;
  lastKey: string;
}

const isBlank = (code: number): boolean => code === SPACE_CODE || code === 0x0a || code === 0x0d || code === 0x09;

class JsonScan {
  readonly #text: string;
  readonly #stack: OpenContainer[] = [];
  readonly #doubled: DoubledKey[] = [];
  readonly #inner: JsonExtent['inner'][number][] = [];
  readonly #quoted: number[] = [];
  #index: number;
  #members = 0;
  #elements = 0;
  #isTorn = false;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#index = start;
  }

  run(): JsonExtent {
    return {
      how: this.#scan(),
      end: this.#index,
      members: this.#members,
      doubled: this.#doubled,
      open: this.#stack.filter((frame) => frame.isObject),
      inner: this.#inner,
      quoted: this.#quoted,
    };
  }

  #skipBlanks(): number {
    while (isBlank(this.#text.charCodeAt(this.#index))) this.#index += 1;
    return this.#text.charCodeAt(this.#index);
  }

  #string(): boolean {
    const text = this.#text;
    let index = this.#index + 1;
    for (; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === QUOTE_CODE) {
        this.#index = index + 1;
        return true;
      }
      if (code === OPEN_BRACE_CODE || code === OPEN_BRACKET_CODE) this.#quoted.push(index);
      else if (code < SPACE_CODE) break;
      else if (code === BACKSLASH_CODE) {
        escapePattern.lastIndex = index;
        if (!escapePattern.test(text)) {
          this.#isTorn = /^\\u?[\da-fA-F]{0,3}(?:[\r\n]|$)/.test(text.slice(index, index + MAX_ESCAPE_LENGTH));
          break;
        }
        index = escapePattern.lastIndex - 1;
      }
    }
    this.#index = index;
    this.#isTorn ||= index >= text.length || text.charCodeAt(index) < SPACE_CODE;
    return false;
  }

  #failure(): 'broken' | 'cut-off' {
    return this.#isTorn || this.#index >= this.#text.length ? 'cut-off' : 'broken';
  }

  #key(frame: OpenContainer): boolean {
    const at = this.#index;
    if (this.#text.charCodeAt(at) !== QUOTE_CODE) return false;
    const isFirst = frame.keys === undefined;
    if (!this.#string()) {
      if (isFirst) frame.firstKey = this.#text.slice(at + 1, this.#index);
      return false;
    }
    const written = this.#text.slice(at + 1, this.#index - 1);
    const key = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
    const keyEnd = this.#index;
    const isFollowed = this.#skipBlanks() === COLON_CODE;
    // A key without a colon at the end of a line was cut off.
    this.#isTorn ||= !isFollowed && this.#text.slice(keyEnd, this.#index).includes('\n');
    if (isFirst && (isFollowed || this.#isTorn || this.#index >= this.#text.length)) frame.firstKey = key;
    if (!isFollowed) return false;
    this.#index += 1;
    this.#members += 1;
    frame.keys ??= new Set();
    if (frame.keys.has(key)) {
      const path = this.#stack.slice(1).map((enclosing) => enclosing.key);
      this.#doubled.push({ at, path: [...path, key] });
    }
    frame.keys.add(key);
    frame.lastKey = key;
    return true;
  }

  #open(isObject: boolean): void {
    const parent = this.#stack.at(-1);
    const key = parent === undefined ? '' : parent.isObject ? parent.lastKey : '0';
    this.#stack.push({ start: this.#index, isObject, key, keys: undefined, firstKey: undefined, lastKey: '' });
    this.#members += 1;
    this.#index += 1;
  }

  #close(): boolean {
    this.#index += 1;
    const closed = this.#stack.pop();
    const parent = this.#stack.at(-1);
    if (closed === undefined || parent === undefined) return true;
    const { start, isObject } = closed;
    if (isObject) {
      while ((this.#inner.at(-1)?.start ?? -1) > start) this.#inner.pop();
      const inArray = this.#stack.every((frame) => !frame.isObject);
      this.#inner.push({ start, end: this.#index, inArray });
    }
    return false;
  }

  #scan(): JsonExtent['how'] {
    let next: 'value' | 'first-value' | 'key' | 'first-key' | 'after' = 'value';
    for (;;) {
      const code = this.#skipBlanks();
      const frame = this.#stack.at(-1);
      const mayClose =
        frame !== undefined && (next === 'after' || next === (frame.isObject ? 'first-key' : 'first-value'));
      if (mayClose && code === (frame.isObject ? CLOSE_BRACE_CODE : CLOSE_BRACKET_CODE)) {
        if (this.#close()) return 'whole';
        next = 'after';
      } else if (next === 'after') {
        if (code !== COMMA_CODE || frame === undefined) return this.#failure();
        this.#index += 1;
        if (!frame.isObject) this.#elements += 1;
        next = frame.isObject ? 'key' : 'value';
      } else if (next === 'key' || next === 'first-key') {
        if (frame === undefined || !this.#key(frame)) return this.#failure();
        next = 'value';
      } else if (code === OPEN_BRACE_CODE || code === OPEN_BRACKET_CODE) {
        if (this.#stack.length >= MAX_JSON_DEPTH) return 'too-deep';
        this.#open(code === OPEN_BRACE_CODE);
        next = code === OPEN_BRACE_CODE ? 'first-key' : 'first-value';
      } else if (code === QUOTE_CODE) {
        if (!this.#string()) return this.#failure();
        next = 'after';
      } else {
        scalarPattern.lastIndex = this.#index;
        if (!scalarPattern.test(this.#text)) {
          wordAtLineEndPattern.lastIndex = this.#index;
          this.#isTorn = wordAtLineEndPattern.test(this.#text);
          return this.#failure();
        }
        this.#index = scalarPattern.lastIndex;
        next = 'after';
      }
      if (this.#members > MAX_JSON_MEMBERS || this.#elements > MAX_JSON_ELEMENTS) return 'too-full';
    }
  }
}

export const findJsonExtent = (text: string, start: number): JsonExtent => new JsonScan(text, start).run();
