// Decides for one engine whether processes are started directly or through the helper.
import type { ReportTrouble } from '../orphan-guard.ts';
import { type Start, startDirectly } from '../start-process.ts';
import { StartHelper } from './start-helper.ts';

/** The one helper of this process, shared by all its engines. */
const shared = new StartHelper();

/** The helper does not pay off for an engine with fewer starts. */
const STARTS_BEFORE = 2;

/** How often the memory of the host is measured; measuring takes longer than the rest of a start. */
const LOOK_EVERY_MS = 100;

/** Memory of this process. Measuring takes a file descriptor; without one, the process counts as small. */
const rss = (): number => {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
};

export interface StarterOptions {
  readonly largeHostBytes: number;
  readonly report: ReportTrouble;
  readonly executor?: unknown;
}

/** Starts processes directly, or through the helper once the host has grown. */
export class Starter {
  readonly #options: StarterOptions;
  readonly #helper: StartHelper;
  #starts = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #hasJoined = false;
  #isClosed = false;

  constructor(options: StarterOptions, helper: StartHelper = shared) {
    this.#options = options;
    this.#helper = helper;
  }

  readonly start: Start = (request) => {
    if (this.#hasJoined && this.#helper.isReady) return this.#helper.start(request);
    this.#starts += 1;
    if (this.#starts >= STARTS_BEFORE) setImmediate(() => this.#joinIfLarge());
    return startDirectly(request);
  };

  close(): void {
    this.#isClosed = true;
    this.#helper.leave(this);
  }

  /** Early, because starting the helper also blocks a host that is already large. */
  #joinIfLarge(): void {
    const now = performance.now();
    if (this.#isClosed || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    if (rss() < this.#options.largeHostBytes) return;
    this.#hasJoined = true;
    this.#helper.join(this, this.#options.report);
  }
}

/** `undefined` except on Linux, because on other systems the size of the parent does not matter. */
export const starterFor = (options: StarterOptions, platform: string): Starter | undefined =>
  platform === 'linux' && options.executor === undefined ? new Starter(options) : undefined;
