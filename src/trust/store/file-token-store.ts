/** A token store on disk, for parked calls of all processes of a user. */
import { isAbsolute } from 'node:path';
import { createInvalidArgument } from '../../errors.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { type Clock, systemClock, type TokenStore } from '../../protocol/index.ts';

export interface FileTokenStoreOptions {
  /** The parent directory of `.hookwright`; the user's home directory by default. */
  readonly home?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A store for `parkedCalls` in `~/.hookwright/spent-tokens`, writable only by the user. Used tokens stay refused even
 * if the clock is set back.
 */
export const fileTokenStore = ({ home, clock = systemClock }: FileTokenStoreOptions = {}): TokenStore => {
  const base = home ?? findHomeDirectory();
  if (!isAbsolute(base)) throw createInvalidArgument(`fileTokenStore needs home as an absolute path; got ${base}`);
  return {
    claim: async (id, expiresAt) => (await import('./spent-tokens.ts')).spendToken(base, clock, id, expiresAt),
  };
};
