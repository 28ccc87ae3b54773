import { lstat } from 'node:fs/promises';
import { HookwrightError } from '../../../errors.ts';
import { describeThrown, visibleJson } from '../../../kit/index.ts';
import { codeOf, isMissing, openRegular, replaceWhole } from '../../../kit/node.ts';
import { notOwn } from './own-directory.ts';

export type OwnFile = { readonly text: string } | { readonly missing: true } | { readonly trouble: string };

export interface ReadingRules {
  readonly maxBytes: number;
  /** Whether it must be this user's, and nobody else's to write. */
  readonly private: boolean;
}

const isLink = (error: unknown): boolean => codeOf(error) === 'ELOOP' || codeOf(error) === 'EMLINK';

/** Reads a small file without following a link, waiting for a pipe, or believing its size. */
export const readOwnFile = async (path: string, { maxBytes, private: mustBeOwn }: ReadingRules): Promise<OwnFile> => {
  let opened: Awaited<ReturnType<typeof openRegular>>;
  try {
    // Windows knows no O_NOFOLLOW.
    if ((await lstat(path)).isSymbolicLink()) return { trouble: `${path} is a symbolic link` };
    opened = await openRegular(path, { follow: false });
  } catch (error) {
    if (isMissing(error)) return { missing: true };
    if (isLink(error)) return { trouble: `${path} is a symbolic link` };
    return { trouble: `${path} cannot be read: ${describeThrown(error)}` };
  }
  const { file, stats } = opened;
  if (file === undefined) return { trouble: `${path} is not a regular file` };
  try {
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

/** Writes JSON into a file as a whole or not at all: beside it first, on the disk, then in its place. */
export const writeOwnFile = async (path: string, text: string, mode: number): Promise<void> => {
  await refuseLink(path);
  try {
    await replaceWhole({ path, text: visibleJson(text), mode, exactMode: true });
  } catch (error) {
    throw new HookwrightError('invalid_config', `${path} could not be written: ${describeThrown(error)}`, {
      details: { path },
      cause: error,
    });
  }
};
