import { HookwrightError } from '../errors.ts';

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

export const vitest = await load();

/** For what cannot be without it. */
export const expectVitest = (what: string): NonNullable<typeof vitest> => {
  if (vitest !== undefined) return vitest;
  throw new HookwrightError('not_supported', `${what} writes tests for vitest; call it in a file that vitest runs`);
};
