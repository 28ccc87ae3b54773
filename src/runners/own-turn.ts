import { nextTurn } from '../kit/index.ts';

/** Output beyond this takes a while to read. */
const LARGE = 65_536;

let last = Promise.resolve();

/** Large outputs that arrive together are read one a turn, so that everybody else gets to work in between. */
export const turnFor = (length: number): Promise<void> | undefined => {
  if (length <= LARGE) return undefined;
  last = last.then(nextTurn);
  return last;
};
