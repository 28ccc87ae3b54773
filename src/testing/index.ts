/** What users need for tests of their own hooks, hosts and transports. The door of the room; nothing else here is imported. */
import { hookMatchers } from './matchers/matchers.ts';
import { useVitest } from './vitest.ts';

export * from './names.ts';

/**
 * vitest is an optional peer. It is loaded only if vitest itself loads this module: elsewhere it takes 50 ms and is of
 * no use.
 */
const load = async () => {
  if (process.env.VITEST === undefined) return undefined;
  try {
    return await import('vitest');
  } catch {
    // A program that a test started inherits the variable, but not the packages.
    return undefined;
  }
};

const vitest = await load();
useVitest(vitest);
vitest?.expect.extend(hookMatchers);
