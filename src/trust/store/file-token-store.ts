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
 * Remembers in `~/.hookwright/spent-tokens` which resume tokens of `parkedCalls` were used, so that none works twice,
 * even if the clock is set back. Only the user can write there.
 */
export const fileTokenStore = ({ home, clock = systemClock }: FileTokenStoreOptions = {}): TokenStore => {
  const base = home ?? findHomeDirectory();
  if (!isAbsolute(base)) throw createInvalidArgument(`fileTokenStore needs home as an absolute path; got ${base}`);
  return {
    claim: async (id, expiresAt) => (await import('./spent-tokens.ts')).spendToken(base, clock, id, expiresAt),
  };
};
