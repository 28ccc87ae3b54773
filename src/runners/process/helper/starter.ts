// Decides for each process whether it is started directly or through the helper.
import { attempt } from '../../../kit/index.ts';
import type { TroubleReporter } from '../orphan-guard.ts';
import { type ProcessStarter, startDirectly } from '../start-process.ts';
import { StartHelper } from './start-helper.ts';

const sharedHelper = new StartHelper();

/** Before this many starts, the helper would take longer to start than it saves. */
const STARTS_BEFORE_HELPER = 2;

const MEASURE_MEMORY_EVERY_MS = 100;

/** Measuring needs a file descriptor; if there is none, the host counts as small. */
const readMemoryBytes = (): number => attempt(() => process.memoryUsage.rss()) ?? 0;

interface StarterOptions {
  readonly largeHostBytes: number;
  readonly report: TroubleReporter;
  readonly executor?: unknown;
}

export class Starter {
  readonly #options: StarterOptions;
  #starts = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #hasJoined = false;
  #isClosed = false;

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  readonly start: ProcessStarter = (request) => {
    if (this.#hasJoined && sharedHelper.isReady) return sharedHelper.start(request);
    this.#starts += 1;
    if (this.#starts >= STARTS_BEFORE_HELPER) setImmediate(() => this.#joinIfLarge());
    return startDirectly(request);
  };

  close(): void {
    this.#isClosed = true;
    sharedHelper.leave(this);
  }

  #joinIfLarge(): void {
    const now = performance.now();
    if (this.#isClosed || now - this.#measuredAt < MEASURE_MEMORY_EVERY_MS) return;
    this.#measuredAt = now;
    if (readMemoryBytes() < this.#options.largeHostBytes) return;
    this.#hasJoined = true;
    sharedHelper.join(this, this.#options.report);
  }
}

/** Only where Node starts processes on Linux does the start depend on the memory of the host. */
export const createStarter = (options: StarterOptions, platform: string): Starter | undefined =>
  platform === 'linux' && runsInNode && options.executor === undefined ? new Starter(options) : undefined;

const runsInNode = process.versions.bun === undefined && process.versions.deno === undefined;
