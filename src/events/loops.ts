/** How often in a row an agent was sent on by hooks instead of stopping. One count for hooks of ours and of other agents. */

/** The most agents that are tracked at once. */
const MAX_COUNTED = 256;

export class Loops {
  readonly #counts = new Map<string, number>();

  /** Counts one more end of a turn. `isSentOn`: the turn was there because a hook had said so. */
  count(who: string, isSentOn: boolean): number {
    const loops = isSentOn ? (this.#counts.get(who) ?? 0) + 1 : 0;
    this.#counts.delete(who);
    if (loops > 0) this.#counts.set(who, loops);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
    return loops;
  }
}

/** How often hooks send an agent on for one prompt, unless they say otherwise. */
export const MAX_STOPS = 8;
