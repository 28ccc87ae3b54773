/** Files and directories that are this user's alone: looked at without following a link, and made and written for no other. */
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { HookwrightError } from '../../errors.ts';
import { describeThrown, parseJson } from '../json.ts';
import { visibleJson } from '../printable.ts';
import { codeOf, isMissing } from '../values.ts';
import { readRegular } from './read-regular.ts';
import { replaceWhole } from './write-whole.ts';

const OTHERS_MAY_WRITE = 0o022;

/** Windows has no such bits; there the home directory itself keeps others out. */
export const hasModes = process.platform !== 'win32';

/** Why something is not this user's alone to write, if that is so. */
const notOwn = (stats: Stats): string | undefined => {
  if (!hasModes) return undefined;
  if (stats.uid !== process.getuid?.()) return 'belongs to another user; make it yours with chown';
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) {
    return `can be written by others (mode ${(stats.mode & 0o777).toString(8)}); take that away with chmod go-w`;
  }
  return undefined;
};

export type Directory = 'usable' | 'missing' | { readonly trouble: string };

type Kind = 'private' | 'shared';

const judge = (path: string, stats: Stats, kind: Kind): Directory => {
  if (stats.isSymbolicLink()) return { trouble: `${path} is a symbolic link; put a real directory in its place` };
  if (!stats.isDirectory()) return { trouble: `${path} is not a directory` };
  const why = kind === 'private' ? notOwn(stats) : undefined;
  return why === undefined ? 'usable' : { trouble: `${path} ${why}` };
};

const unseen = (path: string, error: unknown): Directory =>
  isMissing(error) ? 'missing' : { trouble: `${path} cannot be looked at: ${describeThrown(error)}` };

/**
 * Whether a directory is a real one and not a link; one that holds approvals must also be writable by the user alone.
 */
export const lookAtDirectory = async (path: string, kind: Kind): Promise<Directory> => {
  try {
    return judge(path, await lstat(path), kind);
  } catch (error) {
    return unseen(path, error);
  }
};

/** The same at once. */
export const lookAtDirectoryNow = (path: string, kind: Kind): Directory => {
  try {
    return judge(path, lstatSync(path), kind);
  } catch (error) {
    return unseen(path, error);
  }
};

/** Makes a directory for this user alone where there is none, at once. Returns why one cannot be relied on, if that is so. */
export const makeDirectoryNow = (path: string): string | undefined => {
  let found = lookAtDirectoryNow(path, 'private');
  if (found === 'missing') {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      return `${path} could not be made: ${describeThrown(error)}`;
    }
    // Another process may have made it in the meantime.
    found = lookAtDirectoryNow(path, 'private');
  }
  if (found === 'usable') return undefined;
  return found === 'missing' ? `${path} could not be made` : found.trouble;
};

/** Makes a directory for this user alone where there is none, and refuses one that cannot be relied on. */
export const ensureDirectory = async (path: string): Promise<void> => {
  if ((await lookAtDirectory(path, 'private')) === 'missing') {
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      // Another process may have made it in the meantime; the look that follows judges it.
      if (codeOf(error) === 'EEXIST') return;
      throw new HookwrightError('invalid_config', `${path} could not be made: ${describeThrown(error)}`, {
        details: { path },
        cause: error,
      });
    });
  }
  const found = await lookAtDirectory(path, 'private');
  if (found === 'usable') return;
  const trouble = found === 'missing' ? `${path} could not be made` : found.trouble;
  throw new HookwrightError('invalid_config', `Nothing is written: ${trouble}`, { details: { path } });
};

type OwnFile = { readonly text: string } | { readonly missing: true } | { readonly trouble: string };

export interface ReadingRules {
  readonly maxBytes: number;
  /** Whether it must belong to this user and be writable by no other. */
  readonly private: boolean;
}

/** Reads a small file without following a link, waiting for a pipe, or believing its size. */
const readOwnFile = (path: string, { maxBytes, private: mustBeOwn }: ReadingRules): OwnFile => {
  const found = readRegular(path, { maxBytes, follow: false });
  if ('missing' in found) return found;
  if ('trouble' in found) return { trouble: `${path} ${found.trouble}` };
  const why = mustBeOwn ? notOwn(found.stats) : undefined;
  return why === undefined ? { text: found.bytes.toString('utf8') } : { trouble: `${path} ${why}` };
};

/** What stands in a file of this user as JSON: `undefined` if that is none, or if the file is not read. */
export type OwnJson =
  | { readonly value: unknown; readonly missing?: undefined; readonly trouble?: undefined }
  | { readonly value?: undefined; readonly missing: true; readonly trouble?: undefined }
  | { readonly value?: undefined; readonly missing?: undefined; readonly trouble: string };

/** The same as JSON. */
export const readOwnJson = (path: string, rules: ReadingRules): OwnJson => {
  const found = readOwnFile(path, rules);
  if (!('text' in found)) return found;
  const parsed = parseJson(found.text);
  return { value: parsed.ok ? parsed.value : undefined };
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
