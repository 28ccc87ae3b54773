/** How long all of it may take; checked before each run. */
export class TimeBox {
  readonly #startedAt = performance.now();
  readonly #ms: number;
  /** Ends what still runs a little after that, or on Ctrl-C. */
  readonly signal: AbortSignal;

  constructor(ms: number, signal: AbortSignal) {
    this.#ms = ms;
    this.signal = AbortSignal.any([signal, AbortSignal.timeout(ms + Math.min(1_000, ms / 4))]);
  }

  get spentMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whether so much of the time is over, or all of it. */
  isOver(share = 1): boolean {
    return this.signal.aborted || this.spentMs >= this.#ms * share;
  }
}
