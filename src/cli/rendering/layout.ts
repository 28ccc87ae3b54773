/** Lays out text for a terminal: paragraphs, labelled lines and tables. */
import {
  createSpan,
  measureWidth,
  oneLine,
  padTo,
  type Span,
  type Style,
  type Text,
  type TextLine,
  truncate,
  truncateStart,
  wrap,
} from './text.ts';

const MIN_TABLE_WIDTH = 60;
const MAX_PROSE_WIDTH = 100;
const COLUMN_GAP = '  ';

export interface Page {
  readonly width: number;
  readonly cwd: string;
  readonly isFull?: boolean | undefined;
}

/** `indent` is for the first line, `hanging` for all others. */
export const formatParagraph = (text: string, width: number, indent = 0, hanging = indent, style?: Style): Text =>
  formatParagraphAfter([' '.repeat(indent)], text, width, indent, hanging, style);

export const formatParagraphAfter = (
  lead: readonly (string | Span)[],
  text: string,
  width: number,
  indent: number,
  hanging = indent,
  style?: Style,
): Text => {
  const room = Math.min(width, MAX_PROSE_WIDTH) - Math.max(indent, hanging);
  return wrap(oneLine(text), room).map((line, index) => [
    ...(index === 0 ? lead : [' '.repeat(hanging)]),
    { text: line, style },
  ]);
};

/** Puts a label in front of a paragraph: `matcher   read as words: Bash`. */
export const formatLabelParagraph = (
  label: string,
  text: string,
  { width, indent = 0, labelWidth, style }: { width: number; indent?: number; labelWidth: number; style?: Style },
): Text => {
  const at = indent + labelWidth;
  const padded = createSpan('dim', padTo(label, Math.max(labelWidth, label.length + 1)));
  return formatParagraphAfter([' '.repeat(indent), padded], text, width, at, at, style);
};

export type Cell = string | Span;

export interface Column {
  readonly title: string;
  readonly min?: number;
  readonly keepEnd?: boolean;
}

export interface ItemColumn<Item> extends Column {
  readonly cell: (item: Item) => Cell;
}

export const formatItemTable = <Item>(
  columns: readonly ItemColumn<Item>[],
  items: readonly Item[],
  width: number,
): Text =>
  renderTable(
    columns,
    items.map((item) => columns.map(({ cell }) => cell(item))),
    width,
  );

const formatCell = (cell: Cell | undefined): string => oneLine(typeof cell === 'string' ? cell : (cell?.text ?? ''));

const getStyle = (cell: Cell | undefined): Style | undefined => (typeof cell === 'object' ? cell.style : undefined);

const fitWidths = (natural: readonly number[], columns: readonly Column[], width: number): number[] => {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, one) => sum + one, 0) + COLUMN_GAP.length * (widths.length - 1);
  while (total() > width) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const current = widths[index] ?? 0;
      if (column.min === undefined || current <= Math.max(column.min, column.title.length)) continue;
      if (widest === -1 || current > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
};

const renderStacked = (columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): Text => {
  const labelWidth = Math.max(...columns.map(({ title }) => title.length)) + COLUMN_GAP.length;
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...columns.flatMap(({ title }, index): Text => {
      const text = formatCell(row[index]);
      if (text === '') return [];
      const style = getStyle(row[index]);
      return formatLabelParagraph(title, text, { width, labelWidth, ...(style === undefined ? {} : { style }) });
    }),
  ]);
};

const cut = (text: string, width: number, keepEnd: boolean): string =>
  padTo(keepEnd ? truncateStart(text, width) : truncate(text, width), width);

export const renderTable = (columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): Text => {
  if (width < MIN_TABLE_WIDTH) return renderStacked(columns, rows, width);
  const texts = rows.map((row) => columns.map((_, index) => formatCell(row[index])));
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...texts.map((row) => measureWidth(row[index] ?? ''))),
  );
  const widths = fitWidths(natural, columns, width);
  const lineOf = (cells: readonly string[], styleAt: (index: number) => Style | undefined): TextLine =>
    cells.flatMap((cell, index) => [
      ...(index === 0 ? [] : [COLUMN_GAP]),
      { text: cut(cell, widths[index] ?? 0, columns[index]?.keepEnd === true), style: styleAt(index) },
    ]);
  return [
    lineOf(
      columns.map(({ title }) => title),
      () => 'dim',
    ),
    ...texts.map((row, at) => lineOf(row, (index) => getStyle(rows[at]?.[index]))),
  ];
};
