import stringWidth from 'string-width';
import { onOneLine } from '../../kit/index.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** A piece of a line. Only what we write ourselves has a style: texts of hooks and files cannot bring one along. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type TextLine = string | readonly (string | Span)[];

/** What a command has to say to a person, before colours and the width of a terminal come in. */
export type Text = readonly TextLine[];

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export const styled = (style: Style, text: string): Span => ({ text, style });

/** One line of anything: what a terminal would act on is made visible, line breaks and tabs become blanks. */
export const oneLine = onOneLine;

const spanText = (piece: string | Span, colours: boolean): string => {
  if (typeof piece === 'string') return oneLine(piece);
  const text = oneLine(piece.text);
  if (!colours || piece.style === undefined || text === '') return text;
  const [on, off] = codes[piece.style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

const lineText = (line: TextLine, colours: boolean): string =>
  (typeof line === 'string' ? [line] : line).map((piece) => spanText(piece, colours)).join('');

/** The only way from a text to a terminal, so that nothing gets there unfiltered. */
export const toTerminal = (text: Text, colours: boolean): string =>
  text.map((line) => `${lineText(line, colours).trimEnd()}\n`).join('');

const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return made;
};
let made: Intl.Segmenter | undefined;

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number => (isPlain(text) ? text.length : stringWidth(text));

/** The beginning of a text that fits into so many columns. */
export const beginning = (text: string, width: number): string => {
  if (isPlain(text)) return text.slice(0, width);
  let kept = '';
  let taken = 0;
  for (const { segment } of segmenter().segment(text)) {
    taken += stringWidth(segment);
    if (taken > width) break;
    kept += segment;
  }
  return kept;
};

const ELLIPSIS = '…';

/** A text in at most so many columns; what had to go is marked. */
export const truncate = (text: string, width: number): string => {
  if (text.length <= width && isPlain(text)) return text;
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : beginning(text, width - 1) + ELLIPSIS;
};

/** The same, with the end kept. */
export const truncateStart = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let kept = text;
  while (kept !== '' && widthOf(kept) > width - 1) {
    const first = isPlain(kept) ? kept.slice(0, 1) : ([...segmenter().segment(kept)][0]?.segment ?? kept);
    kept = kept.slice(first.length);
  }
  return width < 1 ? '' : ELLIPSIS + kept;
};

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Breaks a text between words, and a word only where it is longer than a line. */
export const wrap = (text: string, width: number): string[] => {
  const room = Math.max(width, 8);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    let rest = word;
    while (widthOf(rest) > room) {
      const part = beginning(rest, room);
      lines.push(part);
      rest = rest.slice(part.length);
    }
    line = rest;
  }
  return [...lines, line];
};
