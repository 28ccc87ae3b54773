import type { Writable } from 'node:stream';

/** A stream keeps a copy of what it could not write yet; of a large input that many hooks get, each keeps only this much. */
const PIECE = 65_536;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Where a piece may end: not between the halves of a character. */
const endOfPiece = (text: string, start: number): number => {
  const end = Math.min(text.length, start + PIECE);
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
};

/** Writes a text and ends the stream, no faster than it is read. */
export const feed = (stream: Writable, text: string): void => {
  let start = 0;
  const writeOn = (): void => {
    for (;;) {
      const end = endOfPiece(text, start);
      const piece = text.slice(start, end);
      start = end;
      if (end === text.length) {
        stream.end(piece);
        return;
      }
      if (!stream.write(piece)) {
        stream.once('drain', writeOn);
        return;
      }
    }
  };
  writeOn();
};
