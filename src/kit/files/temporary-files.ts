// Writes temporary files that only the current user can read.
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeThrown } from '../json.ts';

const FOLDER_PREFIX = 'hookwright-hooks-';

/** Older folders were left by processes that ended without cleaning up. */
const MAX_FOLDER_AGE_MS = 3 * 24 * 60 * 60 * 1_000;

/** Limits disk use when a hook produces much output at every call. */
const MAX_TEMPORARY_FILES = 256;

/** Windows has no user ids; its folder for temporary files belongs to the user. */
const isOwnedByUser = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid);

const isLeftBehind = (path: string): boolean => {
  const stats = lstatSync(path);
  return isOwnedByUser(stats) && Date.now() - stats.mtimeMs > MAX_FOLDER_AGE_MS;
};

const isOwnedFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOwnedByUser(stats);
};

const removeLeftFolders = (): void => {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed the folder first, or the folder cannot be removed.
    }
  }
};

export class TemporaryFiles {
  #folder: string | undefined;
  #count = 0;
  #kept: string[] = [];

  #open(): string {
    // A cleanup program may remove the folder during a session, and another user may then create one of that name.
    if (this.#folder === undefined || !isOwnedFolder(this.#folder)) {
      this.#folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
      removeLeftFolders();
    }
    return this.#folder;
  }

  remove(path: string): void {
    this.#kept = this.#kept.filter((kept) => kept !== path);
    try {
      rmSync(path, { recursive: true, force: true });
      if (this.#kept.length > 0 || this.#folder === undefined) return;
      rmdirSync(this.#folder);
      this.#folder = undefined;
    } catch {
      // `removeLeftFolders` removes the file later.
    }
  }

  write(name: string, text: string): { readonly path: string } | { readonly trouble: string } {
    this.#count += 1;
    try {
      const path = join(this.#open(), `${this.#count}-${name}`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      this.#kept.push(path);
      const oldest = this.#kept.length > MAX_TEMPORARY_FILES ? this.#kept.shift() : undefined;
      if (oldest !== undefined) rmSync(oldest, { recursive: true, force: true });
      return { path };
    } catch (error) {
      return { trouble: describeThrown(error) };
    }
  }
}

export const temporaryFiles = new TemporaryFiles();
