import type { ChaosCell, ChaosRun } from './run-chaos.ts';
import { openOf } from './safety.ts';

const cellData = ({ fault, row, verdict, fate, remedy }: ChaosCell) => ({
  fault: fault.id,
  side: fault.side,
  outcome: row.outcome,
  ...(row.code === undefined ? {} : { code: row.code }),
  verdict,
  fate,
  ...(remedy === undefined ? {} : { remedy }),
  durationMs: row.durationMs,
});

/** What became of each hook under each fault, for programs. */
export const chaosData = ({ lines, unreached }: ChaosRun) => ({
  failsOpen: lines.filter((line) => openOf(line).length > 0).map(({ subject }) => subject.hook.hookId),
  unreached: unreached.map(({ hookId }) => hookId),
  hooks: lines.map(({ subject: { hook, normal, onFault, testName }, cells }) => ({
    hookId: hook.hookId,
    name: hook.name,
    source: hook.source,
    onFault,
    test: testName,
    normal,
    faults: cells.map(cellData),
  })),
});
