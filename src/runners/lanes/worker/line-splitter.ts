const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines at `\n` and nothing else. Only whole lines are decoded, so no character is torn; a
 * line beyond the limit is never gathered.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this piece completes; nothing when a line is longer than allowed, and then all is over. */
  add(chunk: Buffer): readonly string[] | undefined {
    const last = chunk.lastIndexOf(NEWLINE);
    const firstLine = this.#restBytes + (last === -1 ? chunk.length : chunk.indexOf(NEWLINE));
    if (firstLine > this.#maxBytes || chunk.length - last - 1 > this.#maxBytes) return undefined;
    if (last === -1) {
      this.#keep(chunk);
      return [];
    }
    const whole = chunk.subarray(0, last);
    const text = this.#restBytes === 0 ? whole.toString() : Buffer.concat([...this.#rest, whole]).toString();
    this.#rest = [];
    this.#restBytes = 0;
    if (last < chunk.length - 1) this.#keep(chunk.subarray(last + 1));
    return text.split('\n').filter((line) => line.trim() !== '');
  }

  /** What has come of the line that is not whole yet. */
  rest(): string {
    return Buffer.concat(this.#rest).toString();
  }

  #keep(part: Buffer): void {
    this.#rest.push(part);
    this.#restBytes += part.length;
  }
}
