import type { Socket } from 'node:net';
import { isRecord, parseJson } from '../../kit/index.ts';
import type { SessionEntry } from '../../sessions/index.ts';
import {
  MAX_LINE_BYTES,
  parseEntry,
  parseHeader,
  type RecordedLine,
  RecordedLineSplitter,
} from '../../sessions/index.ts';

/** What comes out of a tap. */
export type TapLine =
  | { readonly kind: 'header'; readonly pid?: number; readonly name?: string }
  | { readonly kind: 'entry'; readonly entry: SessionEntry }
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'problem'; readonly message: string };

const headerOf = (text: string): TapLine => {
  const header = parseHeader(text);
  if (!header.ok) return { kind: 'problem', message: header.message };
  const raw = parseJson(text);
  const { pid, name } = raw.ok && isRecord(raw.value) ? raw.value : {};
  return {
    kind: 'header',
    ...(typeof pid === 'number' ? { pid } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
};

const droppedIn = (text: string): number | undefined => {
  if (!text.startsWith('{"dropped":')) return undefined;
  const read = parseJson(text);
  return read.ok && isRecord(read.value) && typeof read.value.dropped === 'number' ? read.value.dropped : undefined;
};

/** Makes lines of what arrives. A line that cannot be read is told as a problem, and the next one is read. */
export class TapLineReader {
  readonly #splitter = new RecordedLineSplitter(MAX_LINE_BYTES);

  push(piece: Buffer): TapLine[] {
    return this.#splitter.push(piece).map((line) => this.#read(line));
  }

  #read({ number, text }: RecordedLine): TapLine {
    if (text === undefined) return { kind: 'problem', message: `line ${number} is too long` };
    if (number === 1) return headerOf(text);
    const count = droppedIn(text);
    if (count !== undefined) return { kind: 'dropped', count };
    const parsed = parseEntry(text, number);
    return parsed.ok ? { kind: 'entry', entry: parsed.entry } : { kind: 'problem', message: parsed.message };
  }
}

/** Hands on what comes out of a tap, line by line. Resolves when its socket has closed. */
export const takeLines = (socket: Socket, take: (line: TapLine) => void): Promise<void> => {
  const lines = new TapLineReader();
  return new Promise((resolve) => {
    socket.on('data', (piece) => {
      if (Buffer.isBuffer(piece)) for (const line of lines.push(piece)) take(line);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
  });
};
