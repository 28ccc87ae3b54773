// A map that forgets entries not used recently.
const DEFAULT_GENERATION_SIZE = 20_000;

/** Holds up to `2 * size` entries in two generations: dropping a generation is faster than deleting single entries. */
export class RecentMap<Value> {
  readonly #size: number;
  readonly #onForgotten: ((value: Value) => void) | undefined;
  #current = new Map<string, Value>();
  #previous = new Map<string, Value>();

  constructor(size: number = DEFAULT_GENERATION_SIZE, onForgotten?: (value: Value) => void) {
    this.#size = size;
    this.#onForgotten = onForgotten;
  }

  get(id: string): Value | undefined {
    const value = this.#current.get(id);
    if (value !== undefined) return value;
    const older = this.#previous.get(id);
    if (older !== undefined) this.set(id, older);
    return older;
  }

  set(id: string, value: Value): void {
    this.#previous.delete(id);
    if (this.#current.size >= this.#size) {
      if (this.#onForgotten !== undefined)
        for (const forgotten of this.#previous.values()) this.#onForgotten(forgotten);
      this.#previous = this.#current;
      this.#current = new Map();
    }
    this.#current.set(id, value);
  }

  delete(id: string): void {
    this.#current.delete(id);
    this.#previous.delete(id);
  }
}
