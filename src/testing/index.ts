/** What users need for tests of their own hooks, hosts and transports. The door of the room; nothing else here is imported. */
import { hookMatchers } from './matchers/matchers.ts';
import { useVitest } from './vitest.ts';

export * from './names.ts';

/**
 * vitest is an optional peer: the kits for fixtures and agents serve every test runner. It is asked for only where
 * vitest itself loads this module, because elsewhere it takes 50 ms to load and can do nothing.
 */
const load = async () => {
  if (process.env.VITEST === undefined) return undefined;
  try {
    return await import('vitest');
  } catch {
    // A program that a test started inherits the variable, not the packages.
    return undefined;
  }
};

const vitest = await load();
useVitest(vitest);
vitest?.expect.extend(hookMatchers);
