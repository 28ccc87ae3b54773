/** Lays out text for a terminal: paragraphs, labelled lines and tables. */
import { toOneLine } from '../../kit/index.ts';
import {
  createSpan,
  measureWidth,
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
  return wrap(toOneLine(text), room).map((line, index) => [
    ...(index === 0 ? lead : [' '.repeat(hanging)]),
    { text: line, style },
  ]);
};

/** Puts a label in front of a paragraph: `matcher   read as words: Bash`. */
export const formatLabelParagraph = (
  label: string,
  text: string,
  {
    width,
    indent = 0,
    labelWidth,
    style,
  }: { width: number; indent?: number; labelWidth: number; style?: Style | undefined },
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

const toCleanSpan = (cell: Cell = ''): Span =>
  typeof cell === 'string' ? { text: toOneLine(cell) } : { ...cell, text: toOneLine(cell.text) };

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

const renderStackedRows = (columns: readonly Column[], rows: readonly (readonly Span[])[], width: number): Text => {
  const labelWidth = Math.max(...columns.map(({ title }) => title.length)) + COLUMN_GAP.length;
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...columns.flatMap(({ title }, index): Text => {
      const { text = '', style } = row[index] ?? {};
      return text === '' ? [] : formatLabelParagraph(title, text, { width, labelWidth, style });
    }),
  ]);
};

const fitCell = (text: string, width: number, keepEnd: boolean): string =>
  padTo(keepEnd ? truncateStart(text, width) : truncate(text, width), width);

export const renderTable = (columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): Text => {
  if (rows.length === 0) return [];
  const cleanRows = rows.map((row) => columns.map((_, index) => toCleanSpan(row[index])));
  if (width < MIN_TABLE_WIDTH) return renderStackedRows(columns, cleanRows, width);
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...cleanRows.map((row) => measureWidth(row[index]?.text ?? ''))),
  );
  const widths = fitWidths(natural, columns, width);
  const formatRow = (cells: readonly Span[]): TextLine =>
    cells.flatMap(({ text, style }, index) => [
      ...(index === 0 ? [] : [COLUMN_GAP]),
      { text: fitCell(text, widths[index] ?? 0, columns[index]?.keepEnd === true), style },
    ]);
  return [columns.map(({ title }) => createSpan('dim', title)), ...cleanRows].map(formatRow);
};
