// Reads and writes files and directories that only this user may write, without following symbolic links.
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { HookwrightError } from '../../errors.ts';
import { describeThrown, parseJson } from '../json.ts';
import { escapeUnprintable } from '../printable.ts';
import { isMissingFileError, readErrorCode } from '../values.ts';
import { readRegularFile } from './read-regular.ts';
import { replaceWholeFile } from './write-whole.ts';

const WRITABLE_BY_OTHERS_BITS = 0o022;

/** Windows has no file mode bits, and protects the home directory as a whole. */
export const hasFileModes = process.platform !== 'win32';

const explainNotPrivate = (stats: Stats): string | undefined => {
  if (!hasFileModes) return undefined;
  if (stats.uid !== process.getuid?.()) return 'belongs to another user; make it yours with chown';
  if ((stats.mode & WRITABLE_BY_OTHERS_BITS) !== 0) {
    return `can be written by others (mode ${(stats.mode & 0o777).toString(8)}); take that away with chmod go-w`;
  }
  return undefined;
};

export type DirectoryState = 'usable' | 'missing' | { readonly trouble: string };

type DirectoryKind = 'private' | 'shared';

const judgeDirectory = (path: string, stats: Stats, kind: DirectoryKind): DirectoryState => {
  if (stats.isSymbolicLink()) return { trouble: `${path} is a symbolic link; put a real directory in its place` };
  if (!stats.isDirectory()) return { trouble: `${path} is not a directory` };
  const why = kind === 'private' ? explainNotPrivate(stats) : undefined;
  return why === undefined ? 'usable' : { trouble: `${path} ${why}` };
};

const explainUnreadableDirectory = (path: string, error: unknown): DirectoryState =>
  isMissingFileError(error) ? 'missing' : { trouble: `${path} cannot be looked at: ${describeThrown(error)}` };

/** A `private` directory must be writable by this user alone. A symbolic link is refused. */
export const checkDirectory = async (path: string, kind: DirectoryKind): Promise<DirectoryState> => {
  try {
    return judgeDirectory(path, await lstat(path), kind);
  } catch (error) {
    return explainUnreadableDirectory(path, error);
  }
};

export const checkDirectoryNow = (path: string, kind: DirectoryKind): DirectoryState => {
  try {
    return judgeDirectory(path, lstatSync(path), kind);
  } catch (error) {
    return explainUnreadableDirectory(path, error);
  }
};

export const ensureDirectoryNow = (path: string): string | undefined => {
  let found = checkDirectoryNow(path, 'private');
  if (found === 'missing') {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      return `${path} could not be made: ${describeThrown(error)}`;
    }
    // Another process may have created the directory meanwhile.
    found = checkDirectoryNow(path, 'private');
  }
  if (found === 'usable') return undefined;
  return found === 'missing' ? `${path} could not be made` : found.trouble;
};

const createPathError = (path: string, message: string, reason: { readonly cause?: unknown } = {}): HookwrightError =>
  new HookwrightError('invalid_config', message, { details: { path }, ...reason });

export const ensureDirectory = async (path: string): Promise<void> => {
  if ((await checkDirectory(path, 'private')) === 'missing') {
    await mkdir(path, { mode: 0o700 }).catch((cause: unknown) => {
      if (readErrorCode(cause) === 'EEXIST') return;
      throw createPathError(path, `${path} could not be made: ${describeThrown(cause)}`, { cause });
    });
  }
  const found = await checkDirectory(path, 'private');
  if (found === 'usable') return;
  const trouble = found === 'missing' ? `${path} could not be made` : found.trouble;
  throw createPathError(path, `Nothing is written: ${trouble}`);
};

interface PrivateJson {
  /** `undefined` also if the file has no JSON. */
  readonly value?: unknown;
  readonly missing?: true;
  readonly trouble?: string;
}

export const readPrivateJson = (
  path: string,
  rules: { readonly maxBytes: number; readonly private: boolean },
): PrivateJson => {
  const found = readRegularFile(path, { maxBytes: rules.maxBytes, follow: false });
  if ('missing' in found) return found;
  if ('trouble' in found) return { trouble: `${path} ${found.trouble}` };
  const why = rules.private ? explainNotPrivate(found.stats) : undefined;
  if (why !== undefined) return { trouble: `${path} ${why}` };
  const parsed = parseJson(found.bytes.toString('utf8'));
  return { value: parsed.ok ? parsed.value : undefined };
};

const refuseNonRegularFile = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch((error: unknown) => {
    if (isMissingFileError(error)) return undefined;
    throw error;
  });
  if (stats === undefined || stats.isFile()) return;
  const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  throw createPathError(path, `Nothing is written: ${path} is ${what}; remove it`);
};

export const writePrivateFile = async (path: string, text: string, mode: number): Promise<void> => {
  await refuseNonRegularFile(path);
  try {
    await replaceWholeFile({ path, text: escapeUnprintable(text), mode, exactMode: true });
  } catch (cause) {
    throw createPathError(path, `${path} could not be written: ${describeThrown(cause)}`, { cause });
  }
};
