import { HookwrightError } from '../errors.ts';

type Vitest = typeof import('vitest');

/** Set by index.ts. It is not where a CommonJS module required us, which cannot wait until vitest is loaded. */
let imported: { readonly vitest: Vitest | undefined } | undefined;

export const useVitest = (vitest: Vitest | undefined): void => {
  imported = { vitest };
};

/** For what cannot be without it. */
export const expectVitest = (what: string): Vitest => {
  if (imported?.vitest !== undefined) return imported.vitest;
  const way =
    imported === undefined ? ", which must import it: `await import('hookwright/testing')`, not `require`" : '';
  throw new HookwrightError(
    'not_supported',
    `${what} writes tests for vitest; call it in a file that vitest runs${way}`,
  );
};
