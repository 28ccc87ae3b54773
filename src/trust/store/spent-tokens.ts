/** Marks tokens of parked calls as spent: one empty file each, which only one process can create. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { createWholeFile, ensureDirectory } from '../../kit/node.ts';
import type { Clock } from '../../protocol/index.ts';

export const spendToken = async (base: string, clock: Clock, id: string, expiresAt: number): Promise<boolean> => {
  const directory = join(base, '.hookwright', 'spent-tokens');
  const name = `${expiresAt}.${id}`;
  if (!MARK.test(name)) throw createInvalidArgument(`fileTokenStore takes ids of parkedCalls; got ${name}`);
  try {
    await ensureDirectory(join(base, '.hookwright'));
    await ensureDirectory(directory);
    if (expiresAt <= (await removeOldMarks(directory, clock.now() - KEPT_MS))) return false;
    return await createWholeFile({ path: join(directory, name), text: '', mode: 0o600 });
  } catch (error) {
    const message = `The token was not spent, so its call does not run: ${describeThrown(error)}`;
    throw new HookwrightError('invalid_config', message, { details: { directory }, cause: error });
  }
};

const KEPT_MS = 86_400_000;

const MARK = /^(\d{1,16})\.[0-9a-f]{32}$/;
const FORGOTTEN = /^forgotten\.(\d{1,16})$/;

const findNewest = (names: readonly string[], form: RegExp): number =>
  Math.max(0, ...names.map((name) => Number(form.exec(name)?.[1] ?? 0)));

/** Returns the expiry up to which marks may have been removed. */
const removeOldMarks = async (directory: string, before: number): Promise<number> => {
  const names = await readdir(directory);
  const floor = findNewest(names, FORGOTTEN);
  const old = names.filter((name) => MARK.test(name) && findNewest([name], MARK) < before);
  if (old.length === 0) return floor;
  const until = Math.max(floor, findNewest(old, MARK));
  // If the process dies here, tokens of removed marks must still count as spent.
  await createWholeFile({ path: join(directory, `forgotten.${until}`), text: '', mode: 0o600 });
  const outdated = names.filter((name) => findNewest([name], FORGOTTEN) < until && FORGOTTEN.test(name));
  for (const name of [...old, ...outdated]) await rm(join(directory, name), { force: true });
  return until;
};
