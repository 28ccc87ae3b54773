import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sleep } from './engine.ts';

/** The longest time, in milliseconds, for which nobody else got a turn while something ran. */
export const loopDelayDuring = async (run: () => Promise<unknown>): Promise<number> => {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  monitor.enable();
  await sleep(20);
  monitor.reset();
  // It measures from one tick to the next, so it needs a first one.
  await sleep(5);
  await run();
  await sleep(20);
  monitor.disable();
  return monitor.max / 1e6;
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

/** A limit for this moment of this machine; at most twice the promise, so that what breaks it by far always fails. */
export const loopLimit = (promisedMs: number): number => promisedMs * Math.min(2, Math.max(1, slowdown(), slowdown()));
