// Finds the line and column of an offset in a text. Both count from 1; columns are UTF-16 units, as in editors.
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

const findLineStarts = (text: string): number[] => {
  const starts = [0];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    // In CRLF only the line feed ends the line.
    if (character === 10 || (character === 13 && text.charCodeAt(index + 1) !== 10)) starts.push(index + 1);
  }
  return starts;
};

export const createLineIndex = (text: string): ((offset: number) => LineAndColumn) => {
  let known: readonly number[] | undefined;
  return (offset) => {
    known ??= findLineStarts(text);
    const starts = known;
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
