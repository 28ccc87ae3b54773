/** The marks of spent tokens: one empty file each, which only one process can create. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { createWholeFile, ensureDirectory } from '../../kit/node.ts';
import type { Clock } from '../../protocol/index.ts';

/** Spends the token of a parked call; `false` if it was spent before. */
export const spendToken = async (base: string, clock: Clock, id: string, expiresAt: number): Promise<boolean> => {
  const directory = join(base, '.hookwright', 'spent-tokens');
  const name = `${expiresAt}.${id}`;
  if (!MARK.test(name)) throw createInvalidArgument(`fileTokenStore takes ids of parkedCalls; got ${name}`);
  try {
    await ensureDirectory(join(base, '.hookwright'));
    await ensureDirectory(directory);
    if (expiresAt <= (await forget(directory, clock.now() - KEPT_MS))) return false;
    return await createWholeFile({ path: join(directory, name), text: '', mode: 0o600 });
  } catch (error) {
    const message = `The token was not spent, so its call does not run: ${describeThrown(error)}`;
    throw new HookwrightError('invalid_config', message, { details: { directory }, cause: error });
  }
};

/** A mark is kept one day longer than its token is valid. */
const KEPT_MS = 86_400_000;

const MARK = /^(\d{1,16})\.[0-9a-f]{32}$/;
const FORGOTTEN = /^forgotten\.(\d{1,16})$/;

const newest = (names: readonly string[], form: RegExp): number =>
  Math.max(0, ...names.map((name) => Number(form.exec(name)?.[1] ?? 0)));

/** Removes marks that expired before a time. Returns the expiry until which marks may be missing. */
const forget = async (directory: string, before: number): Promise<number> => {
  const names = await readdir(directory);
  const floor = newest(names, FORGOTTEN);
  const old = names.filter((name) => MARK.test(name) && newest([name], MARK) < before);
  if (old.length === 0) return floor;
  const until = Math.max(floor, newest(old, MARK));
  // The record of removed marks is on disk before they are removed.
  await createWholeFile({ path: join(directory, `forgotten.${until}`), text: '', mode: 0o600 });
  const outdated = names.filter((name) => newest([name], FORGOTTEN) < until && FORGOTTEN.test(name));
  for (const name of [...old, ...outdated]) await rm(join(directory, name), { force: true });
  return until;
};
