import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Where Windows has no such flags, there is nothing to wait for or to follow. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Opening a named pipe or a device would wait for whoever is at the other end. */
const READ_REGULAR = O_RDONLY | O_NONBLOCK;

interface OpenedFile<File> {
  readonly file: File;
  readonly stats: Stats;
}

/** What was found is no regular file, and was closed again. */
interface Unopened {
  readonly file?: undefined;
  readonly stats: Stats;
}

const flags = (follow: boolean): number => (follow ? READ_REGULAR : READ_REGULAR | O_NOFOLLOW);

/** Opens a regular file for reading, and nothing else. It never waits, and throws what the system throws. */
export const openRegular = async (path: string, { follow = true } = {}): Promise<OpenedFile<FileHandle> | Unopened> => {
  const file = await open(path, flags(follow));
  try {
    const stats = await file.stat();
    if (stats.isFile()) return { file, stats };
    await file.close();
    return { stats };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
};

/** The same without a promise: of a thousand files, waiting for each costs ten times as much as reading them. */
export const openRegularNow = (path: string, { follow = true } = {}): OpenedFile<number> | Unopened => {
  const file = openSync(path, flags(follow));
  let isKept = false;
  try {
    const stats = fstatSync(file);
    isKept = stats.isFile();
    return isKept ? { file, stats } : { stats };
  } finally {
    if (!isKept) closeSync(file);
  }
};
