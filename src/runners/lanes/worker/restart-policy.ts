/** Whether a worker that is needed may be started now, later, or not at all for a while. */
export type StartPermit =
  | { readonly kind: 'now' }
  | { readonly kind: 'later'; readonly inMs: number }
  | { readonly kind: 'refused'; readonly forMs: number };

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
const CRASHES_TO_OPEN = 5;
const WINDOW_MS = 60_000;
const OPEN_MS = 60_000;

const now: StartPermit = { kind: 'now' };

/**
 * Keeps a worker that crashes from being started over and over: pauses that double with each crash, and after a handful
 * of crashes within a minute none at all for the next one. Times are passed in; it has no clock.
 */
export class RestartPolicy {
  #crashes: number[] = [];
  #inARow = 0;
  #openUntil = 0;

  crashed(at: number): void {
    this.#inARow += 1;
    this.#crashes = [...this.#crashes.filter((crash) => at - crash < WINDOW_MS), at];
    if (this.#crashes.length < CRASHES_TO_OPEN) return;
    this.#openUntil = at + OPEN_MS;
    this.#crashes = [];
    this.#inARow = 0;
  }

  answered(): void {
    this.#inARow = 0;
  }

  ask(at: number): StartPermit {
    if (at < this.#openUntil) return { kind: 'refused', forMs: this.#openUntil - at };
    const last = this.#crashes.at(-1);
    if (last === undefined || this.#inARow === 0) return now;
    const readyAt = last + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#inARow - 1));
    return at < readyAt ? { kind: 'later', inMs: readyAt - at } : now;
  }
}
