// Replaces secrets in messages by `[redacted: …]`. Secrets are found by the names of their keys and by patterns.
import { createInvalidArgument } from '../../../errors.ts';
import { appendToPath, describeValue, expectKnown, isRecord, textOf } from '../../../kit/index.ts';
import {
  foldKeySpelling,
  isSecretKey,
  mayHoldSecret,
  type SecretPattern,
  secretPatterns,
} from '../../../protocol/index.ts';

export interface RedactOptions {
  /** Keys whose values are replaced, at any depth. `apiKey` also matches `API_KEY` and `api-key`. */
  readonly keys?: readonly string[] | undefined;
  /** Patterns of secrets in texts. The whole match is replaced. */
  readonly patterns?: readonly RegExp[] | undefined;
}

interface RedactedMessage {
  readonly message: Record<string, unknown>;
  readonly paths: readonly string[];
}

/** A response could not be matched with its request if these fields were changed. */
const unredactedFields: ReadonlySet<string> = new Set(['type', 'correlationId', 'eventName']);

/** Limit of the cache of checked keys. Checking a key takes ten times as long as finding it in the cache. */
const MAX_CACHED_KEYS = 10_000;

const checkList = (name: string, list: unknown, isItem: (item: unknown) => boolean, expected: string): void => {
  if (list === undefined || (Array.isArray(list) && list.every(isItem))) return;
  const found = Array.isArray(list) ? describeValue(list.find((item) => !isItem(item))) : describeValue(list);
  throw createInvalidArgument(`redact.${name}: expected ${expected}, got ${found}`);
};

/** The flags `g` and `y` keep a position between calls; a copy does not share it with the host's pattern. */
const toGlobalPattern = (pattern: RegExp): RegExp => {
  const flags = pattern.flags.replace(/[gy]/g, '');
  return new RegExp(pattern.source, `${flags}g`);
};

export class Redactor {
  readonly #keys: ReadonlySet<string>;
  readonly #patterns: readonly SecretPattern[];
  /** True if the host added keys or patterns, which the quick check of the whole text does not know. */
  readonly #always: boolean;
  readonly #known = new Map<string, boolean>();

  constructor(options: RedactOptions = {}) {
    expectKnown('redact', options, ['keys', 'patterns'] satisfies (keyof RedactOptions)[]);
    const { keys = [], patterns = [] } = options;
    checkList('keys', keys, (key) => typeof key === 'string' && foldKeySpelling(key) !== '', 'names of keys');
    checkList('patterns', patterns, (pattern) => pattern instanceof RegExp, 'regular expressions');
    this.#keys = new Set(keys.map(foldKeySpelling));
    const own = patterns.map((pattern) => ({ name: 'pattern', pattern: toGlobalPattern(pattern) }));
    this.#patterns = [...own, ...secretPatterns];
    this.#always = keys.length > 0 || patterns.length > 0;
  }

  /** `undefined` if the message has no secrets. `line` is the message as JSON. */
  redact(message: Record<string, unknown>, line: string): RedactedMessage | undefined {
    if (!this.#always && !mayHoldSecret(line)) return undefined;
    const paths: string[] = [];
    let changed: Record<string, unknown> | undefined;
    for (const key of Object.keys(message)) {
      if (unredactedFields.has(key)) continue;
      const member = message[key];
      // Top-level field names are defined by hookwright, so only patterns are searched for in their values.
      const clean = this.#value(member, key, paths);
      if (clean === member) continue;
      changed ??= { ...message };
      changed[key] = clean;
    }
    return changed === undefined ? undefined : { message: changed, paths };
  }

  #member(value: unknown, key: string, path: string, paths: string[]): unknown {
    if (!isSecretValue(value) || !this.#isSecret(key)) return this.#value(value, path, paths);
    const mark = createRedactionMark(key);
    if (value === mark) return value;
    paths.push(path);
    return mark;
  }

  #value(value: unknown, path: string, paths: string[]): unknown {
    if (typeof value === 'string') return this.#text(value, path, paths);
    if (Array.isArray(value)) return this.#array(value, path, paths);
    return isRecord(value) ? this.#record(value, path, paths) : value;
  }

  #text(text: string, path: string, paths: string[]): string {
    const clean = this.#withoutSecrets(text);
    if (clean !== text) paths.push(path);
    return clean;
  }

  #withoutSecrets(text: string): string {
    if (!this.#always && !mayHoldSecret(text)) return text;
    let clean = text;
    for (const { name, pattern, keeps } of this.#patterns) {
      const mark = createRedactionMark(name);
      clean = clean.replace(pattern, (secret: string, kept?: unknown) => {
        if (secret === '') return secret;
        return keeps === true && typeof kept === 'string' ? `${kept}${mark}` : mark;
      });
    }
    return clean;
  }

  #array(values: readonly unknown[], path: string, paths: string[]): readonly unknown[] {
    let changed: unknown[] | undefined;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      const option = this.#findSecretOption(values[index - 1], value);
      const valuePath = appendToPath(path, index);
      const clean =
        option === undefined ? this.#value(value, valuePath, paths) : this.#member(value, option, valuePath, paths);
      if (clean === value) continue;
      changed ??= values.slice();
      changed[index] = clean;
    }
    return changed ?? values;
  }

  #record(value: Record<string, unknown>, path: string, paths: string[]): Record<string, unknown> {
    let isChanged = false;
    const name = this.#findSecretName(value);
    const members = Object.keys(value).map((key): [string, unknown] => {
      const member = value[key];
      const cleanKey = this.#withoutSecrets(key);
      const memberPath = appendToPath(path, cleanKey);
      if (cleanKey !== key) paths.push(memberPath);
      const clean = this.#member(member, key === 'value' ? (name ?? key) : key, memberPath, paths);
      if (clean !== member || cleanKey !== key) isChanged = true;
      return [cleanKey, clean];
    });
    return isChanged ? Object.fromEntries(members) : value;
  }

  /** `API_KEY` of `{name: 'API_KEY', value: '…'}`, a form in which lists give variables and headers. */
  #findSecretName(value: Readonly<Record<string, unknown>>): string | undefined {
    if (value.value === undefined) return undefined;
    return [value.name, value.key, value.header].map(textOf).find((name) => name !== undefined && this.#isSecret(name));
  }

  /** `password` of `['--password', '…']`: the arguments of a command as a list. */
  #findSecretOption(option: unknown, value: unknown): string | undefined {
    if (typeof option !== 'string' || typeof value !== 'string' || value.startsWith('-')) return undefined;
    const [, name] = /^--?([a-z][\w-]{0,60})$/i.exec(option) ?? [];
    return name !== undefined && this.#isSecret(name) ? name : undefined;
  }

  #isSecret(key: string): boolean {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const folded = foldKeySpelling(key);
    const isSecret = this.#keys.has(folded) || isSecretKey(folded);
    if (this.#known.size < MAX_CACHED_KEYS && key.length < 100) this.#known.set(key, isSecret);
    return isSecret;
  }
}

/** A boolean such as `secret: true` only states that there is a secret. */
const isSecretValue = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'boolean' && value !== '';

const createRedactionMark = (what: string): string => `[redacted: ${what.replace(/[^\w .-]/g, '').slice(0, 60)}]`;

const REDACTION_MARK_PATTERN = /\[redacted: [\w .-]{0,60}\]/;

export const hasRedactionMark = (text: string): boolean => REDACTION_MARK_PATTERN.test(text);

/** True if the texts are equal when each `[redacted: …]` in `redacted` matches any text. */
export const isEqualExceptMarks = (redacted: string, text: string): boolean => {
  const [first = '', ...rest] = redacted.split(new RegExp(REDACTION_MARK_PATTERN, 'g'));
  const last = rest.pop();
  if (last === undefined) return redacted === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
};
