// Writes, lists and removes the files of a journal: short recordings of a user's latest decisions in one directory.
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createId } from '../../bus/internal.ts';
import { HookwrightError } from '../../errors.ts';
import { checkDirectoryNow, createFileNow, ensureDirectoryNow, isMissingFileError, sha256 } from '../../kit/node.ts';

export const MAX_JOURNAL_DECISIONS = 1_000;
const MAX_JOURNAL_BYTES = 20 * 2 ** 20;

export const getJournalDirectory = (home: string): string => join(home, '.hookwright', 'journal');

/** All members are read from the file's name, so that old files can be removed without opening them. */
export interface JournalFile {
  readonly path: string;
  readonly atMs: number;
  readonly project: string;
  readonly decisions: number;
  readonly bytes: number;
}

export const hashProject = (project: string): string => sha256(project).slice(0, 12);

const JOURNAL_FILE_PATTERN = /^(\d{13})\.([0-9a-f]{12})\.(\d{1,6})\.(\d{1,9})\.[\w-]+\.jsonl$/;

/** From the oldest to the newest. A file from the future was written before the clock was set back. */
export const listJournalFiles = (home: string): readonly JournalFile[] => {
  const directory = getJournalDirectory(home);
  expectPrivateDirectory(directory);
  const now = Date.now();
  return listNames(directory)
    .sort()
    .flatMap((name) => {
      const [found, at, project = '', decisions, bytes] = JOURNAL_FILE_PATTERN.exec(name) ?? [];
      if (found === undefined) return [];
      const path = join(directory, name);
      return [{ path, atMs: Number(at), project, decisions: Number(decisions), bytes: Number(bytes) }];
    })
    .sort((one, other) => Number(other.atMs > now) - Number(one.atMs > now));
};

const listNames = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissingFileError(error)) return [];
    throw error;
  }
};

const expectPrivateDirectory = (directory: string): void => {
  const found = checkDirectoryNow(directory, 'private');
  if (typeof found === 'object') throw new HookwrightError('invalid_config', found.trouble, { details: { directory } });
};

const createJournalDirectory = (directory: string): void => {
  for (const path of [dirname(directory), directory]) {
    const trouble = ensureDirectoryNow(path);
    if (trouble !== undefined) throw new HookwrightError('invalid_config', trouble, { details: { directory: path } });
  }
};

export const addToJournal = (
  home: string,
  { project, atMs, decisions, text }: { project: string; atMs: number; decisions: number; text: string },
): void => {
  const directory = getJournalDirectory(home);
  createJournalDirectory(directory);
  const bytes = Buffer.from(text);
  const name = [
    String(atMs).padStart(13, '0'),
    hashProject(project),
    decisions,
    bytes.length,
    createId(),
    'jsonl',
  ].join('.');
  createFileNow(join(directory, name), bytes);
  removeOldFiles(listJournalFiles(home));
};

const removeOldFiles = (files: readonly JournalFile[]): void => {
  let [decisions, bytes] = [0, 0];
  for (const file of files.toReversed()) {
    decisions += file.decisions;
    bytes += file.bytes;
    // `force`: another process may have removed the file first.
    if (decisions > MAX_JOURNAL_DECISIONS || bytes > MAX_JOURNAL_BYTES) rmSync(file.path, { force: true });
  }
};
