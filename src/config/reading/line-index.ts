/** Line and column of a place in a text, both counted from 1; columns in UTF-16 units, as editors do. */
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** Prepares a text for many questions about where in it something stands. */
export const lineIndex = (text: string): ((offset: number) => LineAndColumn) => {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
};
