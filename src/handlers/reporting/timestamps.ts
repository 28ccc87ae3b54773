import type { Clock } from '../../protocol/index.ts';

/** Formats the current time, once per millisecond, because formatting a date costs more than a function hook. */
export class Timestamps {
  readonly #clock: Clock;
  #at = Number.NaN;
  #text = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): string {
    const at = this.#clock.now();
    if (at !== this.#at) {
      this.#at = at;
      this.#text = new Date(at).toISOString();
    }
    return this.#text;
  }
}
