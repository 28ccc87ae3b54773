/** Counts how often in a row hooks made an agent continue instead of stopping; also for hooks of other agents. */

/** A limit on memory. */
const MAX_COUNTED = 256;

export class ContinueCounter {
  readonly #counts = new Map<string, number>();

  /** Counts the end of a turn; `isSentOn`: the turn itself was a forced continuation. */
  count(who: string, isSentOn: boolean): number {
    const loops = isSentOn ? (this.#counts.get(who) ?? 0) + 1 : 0;
    this.#counts.delete(who);
    if (loops > 0) this.#counts.set(who, loops);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
    return loops;
  }
}

/** How often hooks can make an agent continue for one prompt, by default. */
export const MAX_STOPS = 8;
