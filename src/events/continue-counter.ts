/** Counts how often in a row hooks made an agent continue instead of stopping. */

import { RecentMap } from '../kit/index.ts';

export class ContinueCounter {
  readonly #counts = new RecentMap<number>(256);

  /** `isContinuation` is true if a hook had caused the turn that now ends. */
  count(session: string, isContinuation: boolean): number {
    const loops = isContinuation ? (this.#counts.get(session) ?? 0) + 1 : 0;
    if (loops === 0) this.#counts.delete(session);
    else this.#counts.set(session, loops);
    return loops;
  }
}

/** How often hooks can make an agent continue for one prompt, by default. */
export const DEFAULT_MAX_STOPS = 8;
