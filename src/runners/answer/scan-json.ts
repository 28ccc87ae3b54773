// Reads one JSON value out of a text without building it: how far it reaches, and why it stops being one.
import { MAX_JSON_DEPTH } from '../../kit/index.ts';

/** A document with more keys, lists and objects takes so long to parse, check and merge that the whole host stands still. */
export const MAX_MEMBERS = 25_000;

/** A key that stands in its object for a second time. */
export interface DoubledKey {
  readonly at: number;
  readonly path: readonly string[];
}

/** What was found of a value: all of it, less than all, or more than anyone may print. */
export interface JsonExtent {
  readonly how: 'whole' | 'broken' | 'cut-off' | 'too-deep' | 'too-full';
  /** Just after the value, or where it stopped being one. */
  readonly end: number;
  readonly members: number;
  readonly doubled: readonly DoubledKey[];
  /** Of a value that is not whole: the objects in it that have no end, from the outermost on. */
  readonly open: readonly { readonly start: number; readonly firstKey: string | undefined }[];
  /** Of a value that is not whole: objects inside it that are, and are no part of another object. */
  readonly inner: readonly { readonly start: number; readonly end: number; readonly inArray: boolean }[];
  /** Of a value that is not whole: braces within its texts. If a quotation mark is stray, they are none. */
  readonly quoted: readonly number[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const SPACE = 0x20;

/** `\\u0041`. */
const LONGEST_ESCAPE = 6;

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** The beginning of a value at the end of its line. */
const tornWord = /[-+.\w]+[ \t\r]*(?:\n|$)/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

interface Frame {
  readonly start: number;
  readonly isObject: boolean;
  /** The key under which the object or list stands. */
  readonly key: string;
  keys: Set<string> | undefined;
  /** As far as it goes, if a colon follows or nothing could. */
  firstKey: string | undefined;
  lastKey: string;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** One pass over a text from one opening bracket on. */
class Scan {
  readonly #text: string;
  readonly #stack: Frame[] = [];
  readonly #doubled: DoubledKey[] = [];
  #inner: JsonExtent['inner'][number][] = [];
  readonly #quoted: number[] = [];
  #index: number;
  #members = 0;
  #isTorn = false;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#index = start;
  }

  run(): JsonExtent {
    return this.#ended(this.#go());
  }

  #ended(how: JsonExtent['how']): JsonExtent {
    const members = this.#members;
    const [doubled, inner, quoted] = [this.#doubled, this.#inner, this.#quoted];
    const open = this.#stack.filter((frame) => frame.isObject);
    return { how, end: this.#index, members, doubled, inner, quoted, open };
  }

  #skipBlanks(): number {
    while (isBlank(this.#text.charCodeAt(this.#index))) this.#index += 1;
    return this.#text.charCodeAt(this.#index);
  }

  /** Goes to the end of a string; says whether it has one. */
  #string(): boolean {
    const text = this.#text;
    let index = this.#index + 1;
    for (; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.#index = index + 1;
        return true;
      }
      if (code === OPEN || code === OPEN_LIST) this.#quoted.push(index);
      else if (code < SPACE) break;
      else if (code === BACKSLASH) {
        escaped.lastIndex = index;
        if (!escaped.test(text)) {
          this.#isTorn = /^\\u?[\da-fA-F]{0,3}(?:[\r\n]|$)/.test(text.slice(index, index + LONGEST_ESCAPE));
          break;
        }
        index = escaped.lastIndex - 1;
      }
    }
    this.#index = index;
    this.#isTorn ||= index >= text.length || text.charCodeAt(index) < SPACE;
    return false;
  }

  /** A string that ends with its line was cut off, as it is where the text ends. */
  #failure(): 'broken' | 'cut-off' {
    return this.#isTorn || this.#index >= this.#text.length ? 'cut-off' : 'broken';
  }

  /** Reads a key up to its colon. */
  #key(frame: Frame): boolean {
    const at = this.#index;
    if (this.#text.charCodeAt(at) !== QUOTE) return false;
    const isFirst = frame.keys === undefined;
    if (!this.#string()) {
      if (isFirst) frame.firstKey = this.#text.slice(at + 1, this.#index);
      return false;
    }
    const written = this.#text.slice(at + 1, this.#index - 1);
    const key = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
    const keyEnd = this.#index;
    const isFollowed = this.#skipBlanks() === COLON;
    // A key that stands alone at the end of its line was cut off there.
    this.#isTorn ||= !isFollowed && this.#text.slice(keyEnd, this.#index).includes('\n');
    if (isFirst && (isFollowed || this.#isTorn || this.#index >= this.#text.length)) frame.firstKey = key;
    if (!isFollowed) return false;
    this.#index += 1;
    this.#members += 1;
    frame.keys ??= new Set();
    if (frame.keys.has(key)) this.#note(at, key);
    frame.keys.add(key);
    frame.lastKey = key;
    return true;
  }

  #note(at: number, key: string): void {
    const path = this.#stack.slice(1).map((frame) => frame.key);
    this.#doubled.push({ at, path: [...path, key] });
  }

  #open(isObject: boolean): void {
    const parent = this.#stack.at(-1);
    const key = parent === undefined ? '' : parent.isObject ? parent.lastKey : '0';
    this.#stack.push({ start: this.#index, isObject, key, keys: undefined, firstKey: undefined, lastKey: '' });
    this.#members += 1;
    this.#index += 1;
  }

  /** Closes the innermost bracket; says whether that was all. */
  #close(): boolean {
    this.#index += 1;
    const closed = this.#stack.pop();
    const parent = this.#stack.at(-1);
    if (closed === undefined || parent === undefined) return true;
    const { start, isObject } = closed;
    if (isObject) {
      // What stands in the object is a part of it.
      while ((this.#inner.at(-1)?.start ?? -1) > start) this.#inner.pop();
      const inArray = this.#stack.every((frame) => !frame.isObject);
      this.#inner.push({ start, end: this.#index, inArray });
    }
    return false;
  }

  #go(): JsonExtent['how'] {
    /** What comes next: a value, a value or the end of a list, a key, a key or the end of an object, what follows a value. */
    let next: 'value' | 'first-value' | 'key' | 'first-key' | 'after' = 'value';
    for (;;) {
      const code = this.#skipBlanks();
      const frame = this.#stack.at(-1);
      if (next === 'first-value' || next === 'first-key' || next === 'after') {
        if (
          frame !== undefined &&
          code === (frame.isObject ? CLOSE : CLOSE_LIST) &&
          (next === 'after' || frame.isObject === (next === 'first-key'))
        ) {
          if (this.#close()) return 'whole';
          next = 'after';
          continue;
        }
      }
      if (next === 'after') {
        if (code !== COMMA || frame === undefined) return this.#failure();
        this.#index += 1;
        next = frame.isObject ? 'key' : 'value';
      } else if (next === 'key' || next === 'first-key') {
        if (frame === undefined || !this.#key(frame)) return this.#failure();
        next = 'value';
      } else if (code === OPEN || code === OPEN_LIST) {
        if (this.#stack.length >= MAX_JSON_DEPTH) return 'too-deep';
        this.#open(code === OPEN);
        next = code === OPEN ? 'first-key' : 'first-value';
      } else if (code === QUOTE) {
        if (!this.#string()) return this.#failure();
        next = 'after';
      } else {
        scalar.lastIndex = this.#index;
        if (!scalar.test(this.#text)) {
          tornWord.lastIndex = this.#index;
          this.#isTorn = tornWord.test(this.#text);
          return this.#failure();
        }
        this.#index = scalar.lastIndex;
        next = 'after';
      }
      if (this.#members > MAX_MEMBERS) return 'too-full';
    }
  }
}

/** How far the value reaches that opens at `start`. It comes before every parse, and takes time in proportion to the text. */
export const extentOf = (text: string, start: number): JsonExtent => new Scan(text, start).run();
