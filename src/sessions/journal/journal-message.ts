// Copies messages for the journal within size limits, and encodes the copies as lines without secrets.
import { appendToPath, escapeUnprintable, isBuiltInObject, isRecord, toPlain } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';
import { formatEntryLine, shortenTexts } from '../recorder/recording/encode-lines.ts';
import type { Redactor } from '../recorder/recording/redact.ts';

/** The journal copies a message before the agent gets its answer, so large messages are cut. */
const MAX_COPIED_VALUES = 2_000;
const MAX_COPIED_CHARACTERS = 96 * 1_024;

/** Twice the length that is written, so that a secret at the end of the written text is still recognized as a whole. */
const MAX_COPIED_TEXT_LENGTH = 32_768;

const LEFT_OUT_TEXT = '[left out: too much for the journal]';

export interface JournalMessage {
  readonly message: Record<string, unknown>;
  readonly cut: readonly string[];
}

class JournalCopier {
  readonly cut: string[] = [];
  readonly #around: object[] = [];
  #values = 0;
  #characters = 0;

  copy(value: unknown, path: string): unknown {
    this.#values += 1;
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value !== 'object' || value === null) return toPlain(value);
    if (this.#values > MAX_COPIED_VALUES || this.#characters > MAX_COPIED_CHARACTERS) return this.#leaveOut(path);
    if (this.#around.includes(value)) return '[circular]';
    this.#around.push(value);
    try {
      return this.#members(value, path);
    } finally {
      this.#around.pop();
    }
  }

  #members(value: object, path: string): unknown {
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.copy(value.toJSON(), path);
    if (Array.isArray(value)) return this.#list(value, path);
    if (!isRecord(value) || isBuiltInObject(value)) return toPlain(value);
    const members: [string, unknown][] = [];
    for (const key in value) {
      if (this.#values > MAX_COPIED_VALUES) {
        this.#leaveOut(path);
        break;
      }
      const member = value[key];
      if (member !== undefined && Object.hasOwn(value, key))
        members.push([key, this.copy(member, appendToPath(path, key))]);
    }
    return Object.fromEntries(members);
  }

  #list(values: readonly unknown[], path: string): unknown[] {
    const kept: unknown[] = [];
    for (const [index, value] of values.entries()) {
      if (this.#values > MAX_COPIED_VALUES) {
        kept.push(this.#leaveOut(appendToPath(path, index)));
        break;
      }
      kept.push(this.copy(value, appendToPath(path, index)));
    }
    return kept;
  }

  #text(text: string, path: string): string {
    if (this.#characters > MAX_COPIED_CHARACTERS) return this.#leaveOut(path);
    this.#characters += Math.min(text.length, MAX_COPIED_TEXT_LENGTH);
    return text.length > MAX_COPIED_TEXT_LENGTH ? text.slice(0, MAX_COPIED_TEXT_LENGTH) : text;
  }

  #leaveOut(path: string): string {
    if (this.cut.at(-1) !== path) this.cut.push(path);
    return LEFT_OUT_TEXT;
  }
}

export const copyForJournal = (message: HookMessage): JournalMessage => {
  const { type, correlationId } = message;
  const copier = new JournalCopier();
  try {
    const copy = copier.copy(message, '');
    if (isRecord(copy)) return { message: copy, cut: copier.cut };
  } catch {}
  return { message: { type, correlationId }, cut: ['payload'] };
};

export const encodeJournalLine = (at: number, { message, cut }: JournalMessage, redactor: Redactor): string => {
  const shortened = [...cut];
  const clean = redactor.redact(message, JSON.stringify(message));
  const json = JSON.stringify(shortenTexts(clean?.message ?? message, '', shortened));
  return formatEntryLine(at, escapeUnprintable(json), clean?.paths ?? [], shortened);
};
