// Reads and writes files below `.system` without following links.
import { lstatSync, type Stats } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { createWholeFile, type FileToWrite, readErrorCode, readRegularFile, replaceWholeFile } from '../kit/node.ts';
import { createUnfinishedName } from './tools/store/task-files.ts';

const OWNER_ONLY_MODE = 0o600;
const MAX_ABILITY_FILE_BYTES = 4 * 2 ** 20;
const NOT_A_DIRECTORY_PROBLEM = 'is not a directory; move it out of the way';

const createFileError = (file: string, problem: string): HookwrightError =>
  new HookwrightError('invalid_config', `${file} ${problem}`, { details: { file } });

const readStats = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/**
 * Creates a directory below the root and returns its path. Refuses links in the path, because they could redirect writes
 * out of the root.
 */
export const openDirectory = async (root: string, parts: readonly string[]): Promise<string> => {
  let directory = root;
  for (const part of parts) {
    directory = join(directory, part);
    if (readStats(directory) === undefined) await mkdir(directory, { recursive: true });
    const found = readStats(directory);
    if (found?.isSymbolicLink())
      throw createFileError(
        directory,
        'is a symbolic link, and hookwright does not write through links; put a directory there',
      );
    if (!found?.isDirectory()) throw createFileError(directory, NOT_A_DIRECTORY_PROBLEM);
  }
  return directory;
};

export const readFileNames = async (directory: string): Promise<string[]> => {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
};

export const readTextFile = (file: string): string | undefined => {
  const found = readRegularFile(file, { maxBytes: MAX_ABILITY_FILE_BYTES, follow: false });
  if ('missing' in found) {
    const directory = dirname(file);
    if (readStats(directory)?.isDirectory() === false) throw createFileError(directory, NOT_A_DIRECTORY_PROBLEM);
    return undefined;
  }
  if ('trouble' in found) throw createFileError(file, found.trouble);
  return found.bytes.toString('utf8');
};

const toWholeFile = (directory: string, name: string, text: string): FileToWrite => ({
  path: join(directory, name),
  text,
  mode: OWNER_ONLY_MODE,
  unfinished: createUnfinishedName(name),
});

/** Replaces the file atomically: readers see the old or the new text, even after a power failure. */
export const replaceFile = (directory: string, name: string, text: string): Promise<void> =>
  replaceWholeFile(toWholeFile(directory, name, text));

/** Returns `false` if the file exists already. */
export const createFile = (directory: string, name: string, text: string): Promise<boolean> =>
  createWholeFile(toWholeFile(directory, name, text));
