import { sleep } from './engine.ts';
import { waitedMs } from './own-clock.ts';

/** What the process has used of the processors, with all its threads. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * The longest time, in milliseconds, for which nobody else got a turn while something ran. What other programs of the machine
 * took from us does not count, it would be there whatever we did: neither what the thread waited for a processor, nor what
 * it waited for helpers of its own, as those that collect garbage, that got none. Whoever waits for a file that never
 * comes holds the loop for good, and the test with it.
 */
export const loopDelayDuring = async (run: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let last = { at: performance.now(), waited: waitedMs(), used: usedMs() };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const now = { at: performance.now(), waited: waitedMs(), used: usedMs() };
    const held = now.at - last.at - (now.waited - last.waited);
    longest = Math.max(longest, Math.min(held, now.used - last.used));
    last = now;
    timer = setTimeout(look, 1);
  };
  look();
  await sleep(20);
  longest = 0;
  await run();
  await sleep(20);
  clearTimeout(timer);
  return longest;
};

const SPIN_MS = 50;

/** How much longer work takes here than it would if nobody else wanted the processor: 1 on an idle machine. */
const slowdown = (): number => {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  while (performance.now() - startedAt < SPIN_MS);
  const { user, system } = process.cpuUsage(before);
  return SPIN_MS / ((user + system) / 1_000);
};

/**
 * A limit for this moment of this machine: where many share a processor it is slower, too. At most twice the promise, so that
 * what breaks it by far always fails.
 */
export const loopLimit = (promisedMs: number): number => promisedMs * Math.min(2, Math.max(1, slowdown(), slowdown()));
