/** Gives access to vitest for `describeBus` and `describeTranslator`, which define tests. */
import { HookwrightError } from '../errors.ts';

type Vitest = typeof import('vitest');

/** Stays unset if `hookwright/testing` was loaded with `require`, which cannot import vitest. */
let importedVitest: { readonly vitest: Vitest | undefined } | undefined;

export const setVitest = (vitest: Vitest | undefined): void => {
  importedVitest = { vitest };
};

export const expectVitest = (what: string): Vitest => {
  if (importedVitest?.vitest !== undefined) return importedVitest.vitest;
  const hint =
    importedVitest === undefined ? ", which must import it: `await import('hookwright/testing')`, not `require`" : '';
  throw new HookwrightError(
    'not_supported',
    `${what} writes tests for vitest; call it in a file that vitest runs${hint}`,
  );
};
