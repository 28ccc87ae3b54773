/** As many requests as may be in flight at once. */
const IN_FLIGHT = 20_000;

/**
 * A map by correlation id that forgets what was not used for long: what is read may have no end. It holds so many, and at
 * most twice as many. Two generations, because
 * forgetting the oldest one by one takes longer than everything else.
 */
export class Remembered<Value> {
  readonly #size: number;
  #current = new Map<string, Value>();
  #previous = new Map<string, Value>();

  constructor(size: number = IN_FLIGHT) {
    this.#size = size;
  }

  get(id: string): Value | undefined {
    const value = this.#current.get(id);
    if (value !== undefined) return value;
    const older = this.#previous.get(id);
    if (older !== undefined) this.set(id, older);
    return older;
  }

  set(id: string, value: Value): void {
    if (this.#current.size >= this.#size) {
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
