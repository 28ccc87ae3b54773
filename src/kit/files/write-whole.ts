// Writes files atomically: completely or not at all.
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, openSync, rmSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readErrorCode } from '../values.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const CREATE_NEW_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  readonly exactMode?: boolean;
  /** The owner of the old file. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Name of the temporary file. It must not be guessable, or another user could create it first. */
  readonly unfinished?: string;
  /** Runs before the file is replaced. If it throws, the old file stays. */
  readonly check?: () => Promise<void>;
}

/** Yarn's Plug'n'Play replaces `fs`, and its file handles have no `sync`. */
const sync = promisify(fsync);

const writeUnfinished = async (file: string, { text, mode, exactMode = false, owner }: FileToWrite): Promise<void> => {
  const handle = await open(file, CREATE_NEW_FLAGS, mode);
  try {
    // Only root can give a file to another user. Without it, the agent of that user could not read its settings.
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid).catch(() => undefined);
    if (exactMode) await handle.chmod(mode);
    await handle.writeFile(text);
    await sync(handle.fd);
  } finally {
    await handle.close();
  }
};

/** A rename survives a power failure only if the directory is synced too. Some systems cannot open directories. */
const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, O_RDONLY).catch(() => undefined);
  if (handle === undefined) return;
  try {
    await sync(handle.fd);
  } finally {
    await handle.close();
  }
};

const writeAndFinish = async (
  whole: FileToWrite,
  finish: (unfinished: string, path: string) => Promise<void>,
): Promise<void> => {
  const directory = dirname(whole.path);
  const unfinished = join(directory, whole.unfinished ?? `.${basename(whole.path)}.${randomUUID()}.tmp`);
  try {
    await writeUnfinished(unfinished, whole);
    await whole.check?.();
    await finish(unfinished, whole.path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(directory);
};

/** Readers see the old text or the new one, also after a power failure. */
export const replaceWholeFile = (whole: FileToWrite): Promise<void> => writeAndFinish(whole, rename);

/** Returns false if the file exists. If several processes create it at once, only one of them gets true. */
export const createWholeFile = async (whole: FileToWrite): Promise<boolean> => {
  try {
    await writeAndFinish(whole, async (unfinished, path) => {
      await link(unfinished, path);
      await rm(unfinished, { force: true });
    });
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Throws if the file exists. Removes the new file if writing fails. A power failure may lose the file. */
export const createFileNow = (path: string, bytes: Buffer): void => {
  const file = openSync(path, CREATE_NEW_FLAGS, 0o600);
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
};
