// Makes texts safe to show: without control characters, on one line, within a number of bytes. Also formats times.
import { once } from './values.ts';

/**
 * Characters that a terminal or page acts on or that are invisible: control characters (C0, C1, DEL), which begin
 * escape sequences; direction marks; line separators; characters without width or ink; tags that spell hidden text.
 */
const unprintable =
  /[\p{Cc}\p{Bidi_Control}\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}\p{Cs}]|\u034f/gu;

const exceptLines = (character: string): string => (character === '\n' || character === '\t' ? character : '\ufffd');

/**
 * A text that is safe to show: each unsafe character becomes a replacement character, so that nothing disappears
 * unnoticed. With `lines`, line breaks and tabs stay.
 */
export const printable = (text: string, keep?: 'lines'): string =>
  keep === undefined
    ? text.replace(unprintable, '\ufffd')
    : text.replaceAll('\r\n', '\n').replace(unprintable, exceptLines);

const asEscapes = (character: string): string =>
  character === '\n' || character === '\t'
    ? character
    : Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join('');

/**
 * JSON with unsafe characters as escapes, so its meaning stays. Line breaks and tabs are layout; inside strings JSON
 * escapes them.
 */
export const visibleJson = (json: string): string => json.replace(unprintable, asEscapes);

/** Replaces one run of white space. A single pattern for all runs takes minutes for a long one. */
const inLine = (blanks: string): string => (/[\r\n]/.test(blanks) ? ' ' : blanks.replaceAll('\t', ' '));

/** A safe text on one line: in a log, a line break could forge an entry. */
export const onOneLine = (text: string): string => printable(text.replace(/\s+/g, inLine));

/** The beginning of a text that fits into this many bytes, without a split character. */
export const withinBytes = (text: string, bytes: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
};

const format = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }));

/** Formats a time as `2026-11-19 14:30`, in the user's time zone. */
export const localTime = (ms: number): string => format().format(ms);
