/** Styled text: escaping, colours, and measuring and cutting by columns of a terminal. */
import stringWidth from 'string-width';
import { once, toOneLine } from '../../kit/index.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Control characters in `text` are escaped, so it cannot contain styles of its own. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type TextLine = string | readonly (string | Span)[];

export type Text = readonly TextLine[];

const colourCodes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export const createSpan = (style: Style, text: string): Span => ({ text, style });

const formatSpan = (piece: string | Span, colours: boolean): string => {
  if (typeof piece === 'string') return toOneLine(piece);
  const text = toOneLine(piece.text);
  if (!colours || piece.style === undefined || text === '') return text;
  const [on, off] = colourCodes[piece.style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

const formatLine = (line: TextLine, colours: boolean): string =>
  (typeof line === 'string' ? [line] : line).map((piece) => formatSpan(piece, colours)).join('');

export const toPlainText = (line: TextLine): string =>
  typeof line === 'string' ? line : line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');

/** All output for a terminal passes through this function, so that control characters are always escaped. */
export const toTerminal = (text: Text, colours: boolean): string =>
  text.map((line) => `${formatLine(line, colours).trimEnd()}\n`).join('');

const createSegmenter = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

const isPrintableAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export const measureWidth = (text: string): number => (isPrintableAscii(text) ? text.length : stringWidth(text));

const takeFittingCharacters = (characters: readonly string[], width: number): string[] => {
  let room = width;
  const end = characters.findIndex((character) => {
    room -= measureWidth(character);
    return room < 0;
  });
  return end === -1 ? [...characters] : characters.slice(0, end);
};

const splitCharacters = (text: string): string[] =>
  Array.from(createSegmenter().segment(text), ({ segment }) => segment);

export const takeColumns = (text: string, width: number): string =>
  isPrintableAscii(text) ? text.slice(0, width) : takeFittingCharacters(splitCharacters(text), width).join('');

const ELLIPSIS = '…';

export const truncate = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text;
  return width < 1 ? '' : takeColumns(text, width - 1) + ELLIPSIS;
};

export const truncateStart = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text;
  if (width < 1) return '';
  const end = takeFittingCharacters(splitCharacters(text).reverse(), width - 1).reverse();
  return ELLIPSIS + end.join('');
};

export const padTo = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - measureWidth(text)));

export const wrap = (text: string, width: number): string[] => {
  const room = Math.max(width, 8);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (measureWidth(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    let rest = word;
    while (measureWidth(rest) > room) {
      const part = takeColumns(rest, room);
      lines.push(part);
      rest = rest.slice(part.length);
    }
    line = rest;
  }
  return [...lines, line];
};
