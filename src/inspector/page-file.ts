import { readFileSync } from 'node:fs';
import { HookwrightError } from '../errors.ts';
import { once } from '../kit/index.ts';

/** Where the page lies, seen from the bundles of the library and of the binary, and from the sources. */
const places = ['./inspector.html', '../inspector.html', '../../dist/inspector.html'];

const readIfThere = (place: string): string | undefined => {
  try {
    return readFileSync(new URL(place, import.meta.url), 'utf8');
  } catch {
    // The next place is looked at; that none has it is an error below.
    return undefined;
  }
};

/** The page, one file with its script and its style, and `%NONCE%` where the nonce of a response belongs. */
export const inspectorPage = once((): string => {
  for (const place of places) {
    const page = readIfThere(place);
    if (page !== undefined) return page;
  }
  throw new HookwrightError(
    'invalid_argument',
    'the page of the inspector is not in this installation: expected dist/inspector.html; install hookwright anew, or run npm run build in a checkout',
  );
});
