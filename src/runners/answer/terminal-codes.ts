const ESCAPE = '\u001b';
/** A title or a link is short; what goes on for longer was never meant for a terminal. */
const MAX_STRING_CODE = 4_096;

const isBetween = (text: string, index: number, low: number, high: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= low && code <= high;
};

/** Where the code that begins with the escape at `start` ends. Linear whatever the text is. */
const endOfCode = (text: string, start: number): number => {
  const kind = text[start + 1];
  let index = start + 2;
  if (kind === '[') {
    while (isBetween(text, index, 0x30, 0x3f)) index += 1;
    while (isBetween(text, index, 0x20, 0x2f)) index += 1;
    return isBetween(text, index, 0x40, 0x7e) ? index + 1 : index;
  }
  if (kind !== ']' && kind !== 'P' && kind !== '_' && kind !== '^') return index;
  const limit = Math.min(text.length, start + MAX_STRING_CODE);
  for (; index < limit; index += 1) {
    if (text.charCodeAt(index) === 0x07) return index + 1;
    if (text.charCodeAt(index) === 0x1b) return text[index + 1] === '\\' ? index + 2 : index;
  }
  return start + 2;
};

/** Takes out what a program writes to colour a terminal. The same text comes back when there is nothing of it. */
export const withoutTerminalCodes = (text: string): string => {
  let next = text.indexOf(ESCAPE);
  if (next === -1) return text;
  const kept: string[] = [];
  let from = 0;
  while (next !== -1) {
    kept.push(text.slice(from, next));
    from = endOfCode(text, next);
    next = text.indexOf(ESCAPE, from);
  }
  kept.push(text.slice(from));
  return kept.join('');
};
