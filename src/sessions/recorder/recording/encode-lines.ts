// Encodes messages and headers as lines of a session.
import {
  appendToPath,
  describeThrown,
  escapeUnprintable,
  isRecord,
  readShortened,
  shorten,
  toPlain,
} from '../../../kit/index.ts';
import { MAX_LINE_BYTES, type SessionHeader } from '../session-format.ts';
import type { Redactor } from './redact.ts';

const MAX_SHORTENED_LENGTH = 16_384;

export type EncodedMessage =
  | { readonly ok: true; readonly line: string; readonly redacted: number; readonly shortened: readonly string[] }
  | { readonly ok: false; readonly message: string };

export const encodeHeader = (header: SessionHeader & { readonly pid?: number; readonly name?: string }): string =>
  `${escapeUnprintable(JSON.stringify(header))}\n`;

export const formatEntryLine = (
  at: number,
  json: string,
  redacted: readonly string[],
  shortened: readonly string[],
): string => {
  const marks = redacted.length === 0 ? '' : `,"redacted":${JSON.stringify(redacted)}`;
  const cuts = shortened.length === 0 ? '' : `,"shortened":${JSON.stringify(shortened)}`;
  return `{"at":${at},"message":${json}${escapeUnprintable(marks)}${escapeUnprintable(cuts)}}\n`;
};

export const shortenTexts = (value: unknown, path: string, paths: string[]): unknown => {
  if (typeof value === 'string') {
    if (value.length <= MAX_SHORTENED_LENGTH) return value;
    paths.push(path);
    return shorten(value, MAX_SHORTENED_LENGTH);
  }
  if (Array.isArray(value)) return value.map((member, index) => shortenTexts(member, appendToPath(path, index), paths));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, shortenTexts(member, appendToPath(path, key), paths)]),
  );
};

/** True if the texts are equal, or `recorded` is a long text that was cut and `text` has the same beginning. */
export const isEqualAsShortened = (recorded: string, text: string): boolean => {
  if (recorded === text) return true;
  const kept = recorded.length > MAX_SHORTENED_LENGTH ? readShortened(recorded) : undefined;
  return kept !== undefined && text.startsWith(kept);
};

const fitsInLine = (json: string): boolean =>
  json.length < MAX_LINE_BYTES && Buffer.byteLength(json) < MAX_LINE_BYTES - 1_024;

/** Never throws: a message that cannot be encoded must not stop the recording. */
export const encodeEntry = (at: number, message: object, redactor: Redactor | undefined): EncodedMessage => {
  try {
    const plain = toPlain(message);
    if (!isRecord(plain)) return { ok: false, message: String(plain) };
    const json = JSON.stringify(plain);
    const clean = redactor?.redact(plain, json);
    const cleanJson = escapeUnprintable(clean === undefined ? json : JSON.stringify(clean.message));
    const redacted = clean?.paths ?? [];
    if (fitsInLine(cleanJson)) {
      return { ok: true, line: formatEntryLine(at, cleanJson, redacted, []), redacted: redacted.length, shortened: [] };
    }
    const shortened: string[] = [];
    const short = escapeUnprintable(JSON.stringify(shortenTexts(clean?.message ?? plain, '', shortened)));
    const line = formatEntryLine(at, short, redacted, shortened);
    if (Buffer.byteLength(line) > MAX_LINE_BYTES)
      return { ok: false, message: `it has ${cleanJson.length} characters` };
    return { ok: true, line, redacted: redacted.length, shortened };
  } catch (error) {
    return { ok: false, message: describeThrown(error) };
  }
};
