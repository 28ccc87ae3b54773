// Makes texts safe to print: escapes control characters, joins lines, limits length. Also formats times.
import { once } from './values.ts';

/**
 * Control characters can start terminal escape sequences; direction marks, zero-width characters and tags can hide or
 * reorder text.
 */
const unprintablePattern =
  /[\p{Cc}\p{Bidi_Control}\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}\p{Cs}]|\u034f/gu;

const replaceUnlessLineBreak = (character: string): string =>
  character === '\n' || character === '\t' ? character : '\ufffd';

/** Replaces each unsafe character by U+FFFD, so that a reader notices it. With `lines`, line breaks and tabs stay. */
export const printable = (text: string, keep?: 'lines'): string =>
  keep === undefined
    ? text.replace(unprintablePattern, '\ufffd')
    : text.replaceAll('\r\n', '\n').replace(unprintablePattern, replaceUnlessLineBreak);

const escapeCharacter = (character: string): string =>
  character === '\n' || character === '\t'
    ? character
    : Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join('');

/** Replaces unsafe characters by `\u` escapes, which keeps the meaning of the JSON. */
export const escapeUnprintable = (json: string): string => json.replace(unprintablePattern, escapeCharacter);

/** Replaces one run of white space. One regular expression for the whole text can take minutes on long runs. */
const joinBlanks = (blanks: string): string => (/[\r\n]/.test(blanks) ? ' ' : blanks.replaceAll('\t', ' '));

/** Joins the lines of a text, because a line break in a logged text could forge an entry of the log file. */
export const toOneLine = (text: string): string => printable(text.replace(/\s+/g, joinBlanks));

const MAX_LISTED_NAMES = 20;

export const joinNames = (names: readonly string[]): string => {
  const more = names.length - MAX_LISTED_NAMES;
  return `${names.slice(0, MAX_LISTED_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

export const limitToBytes = (text: string, bytes: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
};

const getTimeFormat = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }));

export const formatLocalTime = (ms: number): string => getTimeFormat().format(ms);
