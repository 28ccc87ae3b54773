/** Records used tokens of parked calls as empty files, each of which only one process can create. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { createWholeFile, ensureDirectory } from '../../kit/node.ts';
import type { Clock } from '../../protocol/index.ts';

export const spendToken = async (base: string, clock: Clock, id: string, expiresAt: number): Promise<boolean> => {
  const directory = join(base, '.hookwright', 'spent-tokens');
  const name = `${expiresAt}.${id}`;
  if (!USED_TOKEN_PATTERN.test(name))
    throw createInvalidArgument(`fileTokenStore takes ids of parkedCalls; got ${name}`);
  try {
    await ensureDirectory(join(base, '.hookwright'));
    await ensureDirectory(directory);
    if (expiresAt <= (await removeExpiredTokens(directory, clock.now() - KEEP_EXPIRED_MS))) return false;
    return await createWholeFile({ path: join(directory, name), text: '', mode: 0o600 });
  } catch (error) {
    const message = `The token was not spent, so its call does not run: ${describeThrown(error)}`;
    throw new HookwrightError('invalid_config', message, { details: { directory }, cause: error });
  }
};

const KEEP_EXPIRED_MS = 86_400_000;

const USED_TOKEN_PATTERN = /^(\d{1,16})\.[0-9a-f]{32}$/;
const REMOVED_TOKENS_PATTERN = /^forgotten\.(\d{1,16})$/;

const findLatestExpiry = (names: readonly string[], form: RegExp): number =>
  Math.max(0, ...names.map((name) => Number(form.exec(name)?.[1] ?? 0)));

/** Removes files of expired tokens. Returns the latest expiry of removed files: older tokens must be refused. */
const removeExpiredTokens = async (directory: string, before: number): Promise<number> => {
  const names = await readdir(directory);
  const floor = findLatestExpiry(names, REMOVED_TOKENS_PATTERN);
  const old = names.filter(
    (name) => USED_TOKEN_PATTERN.test(name) && findLatestExpiry([name], USED_TOKEN_PATTERN) < before,
  );
  if (old.length === 0) return floor;
  const until = Math.max(floor, findLatestExpiry(old, USED_TOKEN_PATTERN));
  // Written before the removal, so that tokens are refused even if the process dies in between.
  await createWholeFile({ path: join(directory, `forgotten.${until}`), text: '', mode: 0o600 });
  const outdated = names.filter(
    (name) => findLatestExpiry([name], REMOVED_TOKENS_PATTERN) < until && REMOVED_TOKENS_PATTERN.test(name),
  );
  for (const name of [...old, ...outdated]) await rm(join(directory, name), { force: true });
  return until;
};
