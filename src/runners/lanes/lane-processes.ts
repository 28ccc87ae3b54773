// The processes of one lane of one engine, and the guard that ends them if the host is killed.
import { partLogger } from '../../protocol/index.ts';
import type { RunnerLimits } from '../limits.ts';
import type { ProcessOptions } from '../process/executor.ts';
import { type Starter, starterFor } from '../process/helper/starter.ts';
import { type OrphanGuard, orphanGuardFor } from '../process/orphan-guard.ts';
import { ProcessTable } from '../process/process-table.ts';
import type { Start } from '../process/start-process.ts';

/** How long after the grace period an engine waits for its processes to end. */
const PATIENCE_MS = 250;

export class LaneProcesses {
  readonly table: ProcessTable;
  readonly #guard: OrphanGuard | undefined;
  readonly #starter: Starter | undefined;
  readonly #patienceMs: number;

  constructor(
    { killGraceMs, largeHostBytes }: Pick<RunnerLimits, 'killGraceMs' | 'largeHostBytes'>,
    options: ProcessOptions,
  ) {
    const logger = partLogger(options.logger, 'runner');
    const report = (message: string): void => logger?.warn?.(message);
    const { guard, warning } = orphanGuardFor(options, process.platform);
    if (warning !== undefined) report(warning);
    this.#guard = guard;
    this.#starter = starterFor({ ...options, largeHostBytes, report }, process.platform);
    this.#patienceMs = killGraceMs + PATIENCE_MS;
    this.table = new ProcessTable({ killGraceMs, guard, report });
  }

  /** Starts processes cheaply from a large host; `undefined` if the size of the host makes no difference. */
  get start(): Start | undefined {
    return this.#starter?.start;
  }

  /** Waits until ended processes are gone, up to a limit. */
  async idle(): Promise<void> {
    await this.table.idle(this.#patienceMs);
    this.#guard?.rest();
    this.#starter?.close();
  }
}
