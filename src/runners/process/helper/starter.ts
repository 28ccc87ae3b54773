// Decides for each process whether it is started directly or through the helper.
import type { ReportTrouble } from '../orphan-guard.ts';
import { type Start, startDirectly } from '../start-process.ts';
import { StartHelper } from './start-helper.ts';

const sharedHelper = new StartHelper();

/** Before this many starts, the helper would take longer to start than it saves. */
const STARTS_BEFORE = 2;

const LOOK_EVERY_MS = 100;

/** Measuring needs a file descriptor; if there is none, the host counts as small. */
const readMemoryBytes = (): number => {
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

export class Starter {
  readonly #options: StarterOptions;
  readonly #helper: StartHelper;
  #starts = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #hasJoined = false;
  #isClosed = false;

  constructor(options: StarterOptions, helper: StartHelper = sharedHelper) {
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

  #joinIfLarge(): void {
    const now = performance.now();
    if (this.#isClosed || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    if (readMemoryBytes() < this.#options.largeHostBytes) return;
    this.#hasJoined = true;
    this.#helper.join(this, this.#options.report);
  }
}

/** Linux only: on other systems the start does not depend on the parent's memory. */
export const createStarter = (options: StarterOptions, platform: string): Starter | undefined =>
  platform === 'linux' && options.executor === undefined ? new Starter(options) : undefined;
