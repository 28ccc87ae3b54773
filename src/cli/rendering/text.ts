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
