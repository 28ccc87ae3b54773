import { readFileSync } from 'node:fs';

/**
 * For how long, in all, the thread that asks was ready to go on while others had the processor, as Linux counts it. Elsewhere,
 * and where it is not counted, nothing is known of that. A test file of Vitest runs on the first thread of its process.
 */
export const waitedMs = (): number => {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
};

/** Like `performance.now()`, but it stands still while this thread waits for a processor that others have. */
export const ownNow = (): number => performance.now() - waitedMs();
