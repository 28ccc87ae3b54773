import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../kit/index.ts';
import type { JsonPath } from './test-document.ts';

/** A place in a value where something else was wanted. */
export interface ValueDifference {
  readonly path: JsonPath;
  readonly expected: unknown;
  /** `undefined` where there is nothing. */
  readonly found: unknown;
}

/** Where a value is not as it is wanted. Of objects only the members that are named count, and lists have to be equal. */
export const differencesFrom = (expected: unknown, found: unknown, path: JsonPath = []): ValueDifference[] => {
  if (!isRecord(expected) || !isRecord(found)) {
    return isDeepStrictEqual(expected, found) ? [] : [{ path, expected, found }];
  }
  return Object.keys(expected).flatMap((key) =>
    differencesFrom(expected[key], Object.hasOwn(found, key) ? found[key] : undefined, [...path, key]),
  );
};
