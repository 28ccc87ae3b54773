/** Text without control characters, on one line, or within a number of bytes; times as local text. */
import { once } from './values.ts';

/**
 * What a terminal or a page acts on instead of showing it, or what cannot be seen at all: control characters (C0, C1,
 * DEL) with which every escape sequence begins, what changes the direction of a text, separators that pass for line
 * breaks, characters without width or ink, and the tags that spell a hidden text.
 */
const unprintable =
  /[\p{Cc}\p{Bidi_Control}\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}\p{Cs}]|\u034f/gu;

const exceptLines = (character: string): string => (character === '\n' || character === '\t' ? character : '\ufffd');

/**
 * A text that is safe to show: each character that would do something else than be seen becomes a replacement character,
 * so that nothing vanishes unnoticed. With `lines`, line breaks and tabs stay.
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
 * The same text of JSON, in which what cannot be seen is written as an escape: it means what it meant. Raw line breaks and
 * tabs are what lays it out; within its texts JSON has escapes for them.
 */
export const visibleJson = (json: string): string => json.replace(unprintable, asEscapes);

/** A run of blanks on one line. It is looked at once: a pattern that searches it from each place takes minutes for a long one. */
const inLine = (blanks: string): string => (/[\r\n]/.test(blanks) ? ' ' : blanks.replaceAll('\t', ' '));

/** The same on one line: in a log a line break would begin a forged entry. */
export const onOneLine = (text: string): string => printable(text.replace(/\s+/g, inLine));

/** A text of no more bytes than that, not cut within a character. */
export const withinBytes = (text: string, bytes: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
};

const format = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }));

/** 2026-11-19 14:30, in the time zone of the user. */
export const localTime = (ms: number): string => format().format(ms);
