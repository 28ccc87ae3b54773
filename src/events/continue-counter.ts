/** Counts how often in a row hooks made an agent continue instead of stopping. */

/** Limits memory if a host has any number of sessions. */
const MAX_COUNTED = 256;

export class ContinueCounter {
  readonly #counts = new Map<string, number>();

  /** `isSentOn` says that the turn that ends was itself caused by a hook. */
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
