/**
 * Collects the bytes of a stream up to a limit. Chunks are copied into one growing buffer, so that many tiny chunks
 * need no more memory than their bytes.
 */
export class ByteCollector {
  readonly #limit: number;
  #buffer: Buffer | undefined;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): boolean {
    const room = this.#limit - this.#length;
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
    if (this.#buffer === undefined) {
      this.#buffer = kept;
    } else {
      this.#grow(this.#length + kept.length);
      kept.copy(this.#buffer, this.#length);
    }
    this.#length += kept.length;
    return chunk.length <= room;
  }

  bytes(): Uint8Array {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  #grow(needed: number): void {
    if (this.#buffer === undefined || this.#buffer.length >= needed) return;
    const grown = Buffer.allocUnsafe(Math.max(4_096, needed, Math.min(this.#limit, 2 * this.#buffer.length)));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
