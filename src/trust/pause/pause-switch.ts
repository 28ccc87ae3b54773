import { statSync } from 'node:fs';
import { type Pause, pauseFile, readPause } from './pause-file.ts';

/** The shortest time between two looks at the file: too short for a person to notice. */
const EVERY_MS = 100;

/**
 * Whether a person switched hooks off, cheap enough for every event: a look at the file now and then, and a read only if it
 * changed.
 */
export class PauseSwitch {
  readonly #home: string;
  readonly #file: string;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #mark: string | undefined;
  #pause: Pause = {};

  constructor(home: string) {
    this.#home = home;
    this.#file = pauseFile(home);
  }

  /** How it stands. One that is over is none. */
  get pause(): Pause {
    if (performance.now() - this.#lookedAt >= EVERY_MS) this.#look();
    const { until } = this.#pause;
    return until === undefined || until > Date.now() ? this.#pause : {};
  }

  /** Reads the file now, whether or not it looks like another one. */
  refresh(): void {
    this.#mark = this.#markNow();
    this.#lookedAt = performance.now();
    this.#pause = readPause(this.#home);
  }

  #look(): void {
    this.#lookedAt = performance.now();
    if (this.#markNow() !== this.#mark) this.refresh();
  }

  /** Another one when the file was written, replaced or given other rights; none where there is no file. */
  #markNow(): string | undefined {
    try {
      const stats = statSync(this.#file, { throwIfNoEntry: false });
      return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    } catch {
      // A look at what cannot be looked at says why.
      return `${this.#lookedAt}`;
    }
  }
}
