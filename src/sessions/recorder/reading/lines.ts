export interface RecordedLine {
  /** From 1. */
  readonly number: number;
  /** Without its line break; nothing where it was longer than allowed, and is not kept. */
  readonly text: string | undefined;
  /** False for what stands behind the last line break. */
  readonly isComplete: boolean;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** Cuts bytes into lines as they come, and holds no more of them than one line may have. */
export class RecordedLineSplitter {
  readonly #maxBytes: number;
  #number = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this piece. It may be overwritten afterwards. */
  push(piece: Buffer): RecordedLine[] {
    const lines: RecordedLine[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      lines.push(this.#finish(piece.subarray(start, end), true));
      start = end + 1;
    }
    this.#hold(piece.subarray(start));
    return lines;
  }

  /** What is left when nothing more comes. */
  end(): RecordedLine | undefined {
    if (this.#heldBytes === 0 && !this.#isTooLong) return undefined;
    return this.#finish(Buffer.alloc(0), false);
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0 || this.#isTooLong) return;
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxBytes) {
      this.#isTooLong = true;
      this.#held = [];
    } else {
      this.#held.push(Buffer.from(piece));
    }
  }

  #finish(last: Buffer, isComplete: boolean): RecordedLine {
    this.#number += 1;
    const isTooLong = this.#isTooLong || this.#heldBytes + last.length > this.#maxBytes;
    const text = isTooLong ? undefined : this.#textWith(last);
    this.#held = [];
    this.#heldBytes = 0;
    this.#isTooLong = false;
    return { number: this.#number, text, isComplete };
  }

  #textWith(last: Buffer): string {
    const bytes = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
    const text = bytes.toString('utf8');
    const isMarked = this.#number === 1 && text.startsWith(BYTE_ORDER_MARK);
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    return isMarked || end < text.length ? text.slice(isMarked ? 1 : 0, end) : text;
  }
}
