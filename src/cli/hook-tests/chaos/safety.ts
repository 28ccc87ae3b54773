import { chaosFaults } from './chaos-faults.ts';
import type { ChaosCell, ChaosLine, ChaosRun } from './run-chaos.ts';

/** What a hook failed open under. */
export const openOf = ({ cells }: ChaosLine): readonly ChaosCell[] => cells.filter(({ fate }) => fate === 'fails-open');

/** Whether it was tried under every fault. */
export const isComplete = ({ cells }: ChaosLine): boolean => cells.length === chaosFaults.length;

/** Whether every hook was tried under every fault and none failed open. */
export const isSafe = ({ lines }: ChaosRun): boolean =>
  lines.every((line) => isComplete(line) && openOf(line).length === 0);
