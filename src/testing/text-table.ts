/** Formats rows as a plain text table for reports. */
import { printable } from '../kit/index.ts';

const MAX_CELL_CHARACTERS = 60;

const formatCell = (text: string, limit: number): string => {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
};

export const formatTable = (
  titles: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  maxCell = MAX_CELL_CHARACTERS,
): string => {
  const cells = rows.map((row) => titles.map((_, column) => formatCell(row[column] ?? '', maxCell)));
  const used = titles.flatMap((title, column) => {
    const width = Math.max(...cells.map((row) => row[column]?.length ?? 0), 0);
    return width === 0 ? [] : [{ title, column, width: Math.max(width, title.length) }];
  });
  const line = (text: (column: (typeof used)[number]) => string): string =>
    `  ${used.map((column) => text(column).padEnd(column.width)).join('  ')}`.trimEnd();
  return [
    line(({ title }) => title),
    line(({ width }) => '─'.repeat(width)),
    ...cells.map((row) => line(({ column }) => row[column] ?? '')),
  ].join('\n');
};
