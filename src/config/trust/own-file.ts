import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { isMissing, notOwn } from './own-directory.ts';

export type OwnFile = { readonly text: string } | { readonly missing: true } | { readonly trouble: string };

export interface ReadingRules {
  readonly maxBytes: number;
  /** Whether it must be this user's, and nobody else's to write. */
  readonly private: boolean;
}

const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

const isLink = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'EMLINK');

/** Reads a small file without following a link, waiting for a pipe, or believing its size. */
export const readOwnFile = async (path: string, { maxBytes, private: mustBeOwn }: ReadingRules): Promise<OwnFile> => {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Windows knows no O_NOFOLLOW.
    if ((await lstat(path)).isSymbolicLink()) return { trouble: `${path} is a symbolic link` };
    file = await open(path, READ);
  } catch (error) {
    if (isMissing(error)) return { missing: true };
    if (isLink(error)) return { trouble: `${path} is a symbolic link` };
    return { trouble: `${path} cannot be read: ${describeThrown(error)}` };
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { trouble: `${path} is not a regular file` };
    const why = mustBeOwn ? notOwn(stats) : undefined;
    if (why !== undefined) return { trouble: `${path} ${why}` };
    const tooLarge = { trouble: `${path} has more than ${maxBytes} bytes` };
    if (stats.size > maxBytes) return tooLarge;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    return bytesRead > maxBytes ? tooLarge : { text: buffer.toString('utf8', 0, bytesRead) };
  } catch (error) {
    return { trouble: `${path} cannot be read: ${describeThrown(error)}` };
  } finally {
    await file.close();
  }
};

const refuseLink = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (stats === undefined || stats.isFile()) return;
  const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  throw new HookwrightError('invalid_config', `Nothing is written: ${path} is ${what}; remove it`, {
    details: { path },
  });
};

/** Writes a file as a whole or not at all: beside it first, on the disk, then in its place. */
export const writeOwnFile = async (path: string, text: string, mode: number): Promise<void> => {
  await refuseLink(path);
  const beside = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw new HookwrightError('invalid_config', `${path} could not be written: ${describeThrown(error)}`, {
      details: { path },
      cause: error,
    });
  }
};
