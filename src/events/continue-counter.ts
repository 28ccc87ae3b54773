/** Counts how often in a row hooks made an agent continue instead of stopping. */

/** Limits the memory that a host with very many sessions needs. */
const MAX_COUNTED_SESSIONS = 256;

export class ContinueCounter {
  readonly #counts = new Map<string, number>();

  /** `isContinuation` is true if a hook had caused the turn that now ends. */
  count(session: string, isContinuation: boolean): number {
    const loops = isContinuation ? (this.#counts.get(session) ?? 0) + 1 : 0;
    this.#counts.delete(session);
    if (loops > 0) this.#counts.set(session, loops);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED_SESSIONS && oldest !== undefined) this.#counts.delete(oldest);
    return loops;
  }
}

/** How often hooks can make an agent continue for one prompt, by default. */
export const MAX_STOPS = 8;
