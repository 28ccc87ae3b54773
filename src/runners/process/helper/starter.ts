import type { ReportTrouble } from '../orphan-guard.ts';
import { type Start, startDirectly } from '../start-process.ts';
import { StartHelper } from './start-helper.ts';

/** The one helper of this process, shared by all its engines. */
const shared = new StartHelper();

/** An engine that starts no more than this is over before a helper would be of use. */
const STARTS_BEFORE = 2;

/** How often it is asked how large the host is: to ask takes longer than what else follows a hook. */
const LOOK_EVERY_MS = 100;

/** How much memory this process holds. To ask takes a file descriptor; without one it is a small process until there is. */
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

/** Starts the processes of one engine: directly, and by the helper as soon as there is one because the host has grown. */
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

  /** Early: a helper is started like everything else, and holds a host that is large already. */
  #joinIfLarge(): void {
    const now = performance.now();
    if (this.#isClosed || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    if (rss() < this.#options.largeHostBytes) return;
    this.#hasJoined = true;
    this.#helper.join(this, this.#options.report);
  }
}

/** Elsewhere than on Linux a start costs the same for every parent. */
export const starterFor = (options: StarterOptions, platform: string): Starter | undefined =>
  platform === 'linux' && options.executor === undefined ? new Starter(options) : undefined;
