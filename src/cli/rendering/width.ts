import stringWidth from 'string-width';

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
