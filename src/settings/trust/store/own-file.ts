import { lstat } from 'node:fs/promises';
import { HookwrightError } from '../../../errors.ts';
import { describeThrown, visibleJson } from '../../../kit/index.ts';
import { isMissing, readRegular, replaceWhole } from '../../../kit/node.ts';
import { notOwn } from './own-directory.ts';

export type OwnFile = { readonly text: string } | { readonly missing: true } | { readonly trouble: string };

export interface ReadingRules {
  readonly maxBytes: number;
  /** Whether it must belong to this user and be writable by no other. */
  readonly private: boolean;
}

/** Reads a small file without following a link, waiting for a pipe, or believing its size. */
export const readOwnFile = (path: string, { maxBytes, private: mustBeOwn }: ReadingRules): OwnFile => {
  const found = readRegular(path, { maxBytes, follow: false });
  if ('missing' in found) return found;
  if ('trouble' in found) return { trouble: `${path} ${found.trouble}` };
  const why = mustBeOwn ? notOwn(found.stats) : undefined;
  return why === undefined ? { text: found.bytes.toString('utf8') } : { trouble: `${path} ${why}` };
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
