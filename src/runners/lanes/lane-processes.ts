import { type Logger, partLogger } from '../../protocol/index.ts';
import type { RunnerLimits } from '../limits.ts';
import type { Executor } from '../process/executor.ts';
import { guardFor, type OrphanGuard } from '../process/orphan-guard.ts';
import { ProcessTable } from '../process/process-table.ts';

/** How much longer than the grace period an engine waits for its processes to be gone. */
const PATIENCE_MS = 250;

export interface LaneProcessesOptions {
  readonly executor?: Executor | undefined;
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

/** The processes of one lane of one engine, and the guard that ends them should the host be killed. */
export class LaneProcesses {
  readonly table: ProcessTable;
  readonly #guard: OrphanGuard | undefined;
  readonly #patienceMs: number;

  constructor({ killGraceMs }: Pick<RunnerLimits, 'killGraceMs'>, options: LaneProcessesOptions) {
    const logger = partLogger(options.logger, 'runner');
    const report = (message: string): void => logger?.warn?.(message);
    const { guard, warning } = guardFor(options, process.platform);
    if (warning !== undefined) report(warning);
    this.#guard = guard;
    this.#patienceMs = killGraceMs + PATIENCE_MS;
    this.table = new ProcessTable({ killGraceMs, guard, report });
  }

  /** Waits until those that were ended are gone, or as long as that may take. */
  async idle(): Promise<void> {
    await this.table.idle(this.#patienceMs);
    this.#guard?.rest();
  }
}
