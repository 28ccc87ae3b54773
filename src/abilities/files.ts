import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { unfinishedName } from './tools/store/names.ts';

/** Where Windows has no such flag, it is the creation that never follows a link. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const OWNER_ONLY = 0o600;
/** A larger file is none of ours: whoever put it there wants our memory. */
const MAX_BYTES = 4 * 2 ** 20;

export const errorCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const refuse = (file: string, what: string): HookwrightError =>
  new HookwrightError('invalid_config', `${file} ${what}`, { details: { file } });

const lookAt = async (file: string): Promise<Stats | undefined> => {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * A directory below a root, made where it is missing. A link on the way would have us write to where somebody else
 * wants us to, so each part is looked at.
 */
export const openDirectory = async (root: string, parts: readonly string[]): Promise<string> => {
  let directory = root;
  for (const part of parts) {
    directory = join(directory, part);
    if ((await lookAt(directory)) === undefined) {
      await mkdir(directory, { recursive: true });
    }
    const found = await lookAt(directory);
    if (found?.isSymbolicLink())
      throw refuse(directory, 'is a symbolic link, and nothing is written through links; put a directory there');
    if (!found?.isDirectory()) throw refuse(directory, 'is not a directory; move it out of the way');
  }
  return directory;
};

/** The names in a directory, sorted; none where there is no directory yet. */
export const namesIn = async (directory: string): Promise<string[]> => {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
};

/** The text of a regular file of ours, or nothing when there is none. Links are not followed. */
export const readRegular = async (file: string): Promise<string | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw refuse(file, 'is a symbolic link, which is not followed');
    throw error;
  }
  try {
    const { size, ...found } = await handle.stat().then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!found.isFile) throw refuse(file, 'is not a regular file');
    if (size > MAX_BYTES) throw refuse(file, `has ${size} bytes, more than the ${MAX_BYTES} that are read`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

/** After this, a name in the directory survives a power failure. Not every system lets a directory be opened. */
const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const writeUnfinished = async (directory: string, name: string, text: string): Promise<string> => {
  const file = join(directory, unfinishedName(name));
  const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return file;
};

/** Replaces a file whole: whoever reads it, and whenever the power fails, finds the old text or the new one. */
export const replaceFile = async (directory: string, name: string, text: string): Promise<void> => {
  const unfinished = await writeUnfinished(directory, name, text);
  try {
    await rename(unfinished, join(directory, name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(directory);
};

/** Creates a file whole, unless there is one of that name: then it says false. Of many who try, one succeeds. */
export const createFile = async (directory: string, name: string, text: string): Promise<boolean> => {
  const unfinished = await writeUnfinished(directory, name, text);
  try {
    await link(unfinished, join(directory, name));
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncDirectory(directory);
  return true;
};
