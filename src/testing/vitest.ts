/** Access to vitest for suites that define tests. */
import { HookwrightError } from '../errors.ts';

type Vitest = typeof import('vitest');

/** Set by index.ts; stays unset for `require`, which loads names.ts. */
let imported: { readonly vitest: Vitest | undefined } | undefined;

export const setVitest = (vitest: Vitest | undefined): void => {
  imported = { vitest };
};

/** Throws with instructions if vitest is not loaded. */
export const expectVitest = (what: string): Vitest => {
  if (imported?.vitest !== undefined) return imported.vitest;
  const way =
    imported === undefined ? ", which must import it: `await import('hookwright/testing')`, not `require`" : '';
  throw new HookwrightError(
    'not_supported',
    `${what} writes tests for vitest; call it in a file that vitest runs${way}`,
  );
};
