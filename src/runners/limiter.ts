/** Hands out a fixed number of places. Whoever finds none waits in line, in the order of asking. */
export class Limiter {
  readonly #places: number;
  readonly #waiting: (() => void)[] = [];
  #head = 0;
  #taken = 0;
  #serving = false;

  constructor(places: number) {
    this.#places = places;
  }

  /** Takes a place if one is free and nobody waits for it. */
  tryTake(): boolean {
    if (this.#taken >= this.#places || this.#head < this.#waiting.length) return false;
    this.#taken += 1;
    return true;
  }

  /** Calls back, later, holding a place. The returned function gives up waiting. */
  wait(callback: () => void): () => void {
    let given = false;
    const entry = (): void => {
      if (given) return;
      given = true;
      callback();
    };
    this.#waiting.push(entry);
    return () => {
      if (given) return;
      given = true;
      const index = this.#waiting.indexOf(entry, this.#head);
      if (index >= 0) this.#waiting.splice(index, 1);
    };
  }

  /** Gives a place back, to the next in line if there is one. Safe to call from within a callback, however deep. */
  release(): void {
    this.#taken -= 1;
    if (this.#serving) return;
    this.#serving = true;
    while (this.#taken < this.#places) {
      const next = this.#waiting[this.#head];
      if (next === undefined) break;
      this.#head += 1;
      this.#taken += 1;
      next();
    }
    this.#serving = false;
    if (this.#head === this.#waiting.length || this.#head > 1_024) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
  }
}
