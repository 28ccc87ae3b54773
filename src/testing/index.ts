/** Entry `hookwright/testing`: helpers for tests of hooks, hosts and transports. */
import { hookMatchers } from './matchers/matchers.ts';
import { setVitest } from './vitest.ts';

export * from './names.ts';

/** vitest is an optional peer dependency, and importing it outside vitest would take 50 ms for nothing. */
const importVitest = async () => {
  if (process.env.VITEST === undefined) return undefined;
  try {
    return await import('vitest');
  } catch {
    // A program that a test starts inherits the variable VITEST but may not have the package.
    return undefined;
  }
};

const vitest = await importVitest();
setVitest(vitest);
vitest?.expect.extend(hookMatchers);
