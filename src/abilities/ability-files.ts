// Reads and writes files below `.system` without following links.
import { lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { createWholeFile, readErrorCode, readRegularFile, replaceWholeFile, type WholeFile } from '../kit/node.ts';
import { unfinishedName } from './tools/store/task-files.ts';

const OWNER_ONLY = 0o600;
/** hookwright itself writes no larger file. */
const MAX_BYTES = 4 * 2 ** 20;

const NO_DIRECTORY = 'is not a directory; move it out of the way';

const refuse = (file: string, what: string): HookwrightError =>
  new HookwrightError('invalid_config', `${file} ${what}`, { details: { file } });

const lookAt = async (file: string): Promise<Stats | undefined> => {
  try {
    return await lstat(file);
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Creates missing directories and returns the path. Every part is checked, because a link could redirect writes out of
 * the root.
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
      throw refuse(directory, 'is a symbolic link, and hookwright does not write through links; put a directory there');
    if (!found?.isDirectory()) throw refuse(directory, NO_DIRECTORY);
  }
  return directory;
};

/** The sorted names in a directory; empty if it does not exist. */
export const fileNamesIn = async (directory: string): Promise<string[]> => {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
};

/** The text of a regular file, or `undefined` if it does not exist. Links are refused. */
export const textOf = (file: string): string | undefined => {
  const found = readRegularFile(file, { maxBytes: MAX_BYTES, follow: false });
  if ('missing' in found) {
    const directory = dirname(file);
    if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) throw refuse(directory, NO_DIRECTORY);
    return undefined;
  }
  if ('trouble' in found) throw refuse(file, found.trouble);
  return found.bytes.toString('utf8');
};

const wholeFile = (directory: string, name: string, text: string): WholeFile => ({
  path: join(directory, name),
  text,
  mode: OWNER_ONLY,
  unfinished: unfinishedName(name),
});

/** Replaces a file atomically: readers see the old or the new text, even after a power failure. */
export const replaceFile = (directory: string, name: string, text: string): Promise<void> =>
  replaceWholeFile(wholeFile(directory, name, text));

/** Creates a complete file, or returns false if the name exists. Of several processes, one succeeds. */
export const createFile = (directory: string, name: string, text: string): Promise<boolean> =>
  createWholeFile(wholeFile(directory, name, text));
