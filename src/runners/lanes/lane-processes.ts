// Sets up the processes of a lane: process table, orphan guard and start helper.
import { createPartLogger } from '../../protocol/index.ts';
import type { RunnerLimits } from '../limits.ts';
import type { ProcessLaneOptions } from '../process/executor.ts';
import { createStarter, type Starter } from '../process/helper/starter.ts';
import { getOrphanGuard, type OrphanGuard } from '../process/orphan-guard.ts';
import { ProcessTable } from '../process/process-table.ts';
import type { ProcessStarter } from '../process/start-process.ts';

/** A disposed engine waits this long for killed processes to exit. */
const MAX_KILL_WAIT_MS = 250;

export class LaneProcesses {
  readonly table: ProcessTable;
  readonly #guard: OrphanGuard | undefined;
  readonly #starter: Starter | undefined;
  readonly #maxIdleWaitMs: number;

  constructor({ killGraceMs, largeHostBytes }: RunnerLimits, options: ProcessLaneOptions) {
    const logger = createPartLogger(options.logger, 'runner');
    const report = (message: string): void => logger?.warn?.(message);
    const { guard, warning } = getOrphanGuard(options, process.platform);
    if (warning !== undefined) report(warning);
    this.#guard = guard;
    this.#starter = createStarter({ ...options, largeHostBytes, report }, process.platform);
    this.#maxIdleWaitMs = killGraceMs + MAX_KILL_WAIT_MS;
    this.table = new ProcessTable({ killGraceMs, guard, report });
  }

  get start(): ProcessStarter | undefined {
    return this.#starter?.start;
  }

  async idle(): Promise<void> {
    await this.table.idle(this.#maxIdleWaitMs);
    this.#guard?.rest();
    this.#starter?.close();
  }
}
