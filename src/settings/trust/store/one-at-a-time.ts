import { randomUUID } from 'node:crypto';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookwrightError } from '../../../errors.ts';
import { describeThrown } from '../../../kit/index.ts';
import { codeOf, isMissing } from '../../../kit/node.ts';

/** A change takes milliseconds; whoever holds on for so long has died over it. */
const STALE_MS = 10_000;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 15;

const take = async (path: string, token: string): Promise<boolean> => {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Takes a mark away that its owner left behind. */
const removeStale = async (path: string): Promise<void> => {
  try {
    const { mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs < STALE_MS) return;
    // Of several that find it stale, one moves it; the others find nothing, or a fresh one.
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};

const holds = async (path: string, token: string): Promise<boolean> => {
  try {
    return (await readFile(path, 'utf8')) === token;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/**
 * Does something while no other process does the same, marked by a file that only one of them can make. A machine that was
 * asleep for a while may find that another took over: `isOurs` says so right before what must not happen twice.
 */
export const oneAtATime = async <T>(path: string, work: (isOurs: () => Promise<boolean>) => Promise<T>): Promise<T> => {
  const token = randomUUID();
  const startedAt = performance.now();
  try {
    while (!(await take(path, token))) {
      if (performance.now() - startedAt > PATIENCE_MS) {
        throw new Error(`another process holds it for more than ${PATIENCE_MS} ms; remove it if none does`);
      }
      await removeStale(path);
      await sleep(PAUSE_MS);
    }
  } catch (error) {
    throw new HookwrightError('invalid_config', `${path} could not be taken: ${describeThrown(error)}`, {
      details: { path },
      cause: error,
    });
  }
  try {
    return await work(() => holds(path, token));
  } finally {
    if (await holds(path, token)) await rm(path, { force: true });
  }
};
