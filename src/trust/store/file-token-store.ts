/** Remembers on disk which tokens of parked calls are spent, for all processes of a user. */
import { isAbsolute } from 'node:path';
import { invalidArgument } from '../../errors.ts';
import { homeDirectory } from '../../kit/node.ts';
import { type Clock, systemClock, type TokenStore } from '../../protocol/index.ts';

export interface FileTokenStoreOptions {
  /** Where `.hookwright` is, or will be; the home directory of the user when left out. */
  readonly home?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A store for `parkedCalls` in `~/.hookwright/spent-tokens`, which only the user may write: an empty file for each spent token,
 * which one process alone can make. What it forgets stays forgotten when the clock is set back.
 */
export const fileTokenStore = ({ home, clock = systemClock }: FileTokenStoreOptions = {}): TokenStore => {
  const base = home ?? homeDirectory();
  if (!isAbsolute(base)) throw invalidArgument(`fileTokenStore needs home as an absolute path; got ${base}`);
  return {
    claim: async (id, expiresAt) => (await import('./spent-tokens.ts')).spendToken(base, clock, id, expiresAt),
  };
};
