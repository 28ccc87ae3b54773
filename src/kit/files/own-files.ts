// Temporary files of a session that only its user can read.
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeThrown } from '../json.ts';

const PREFIX = 'hookwright-hooks-';

/** Older files were left by another process. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1_000;

/** A hook with much output at every call must not fill the disk. */
const MAX_FILES = 256;

/** Windows has no user ids; there the folder for temporary files belongs to the user. */
const isOurs = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid);

const isLeftBehind = (path: string): boolean => {
  const stats = lstatSync(path);
  return isOurs(stats) && Date.now() - stats.mtimeMs > KEPT_MS;
};

const isOwnFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOurs(stats);
};

const sweep = (): void => {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it first, or it cannot be removed.
    }
  }
};

/** Temporary files in a folder that only its owner can read. The folder is created with the first file. */
export class OwnFiles {
  #folder: string | undefined;
  #count = 0;
  #kept: string[] = [];

  #open(): string {
    // A cleaner may remove the folder during a session, and another user may create one with its name.
    if (this.#folder === undefined || !isOwnFolder(this.#folder)) {
      this.#folder = mkdtempSync(join(tmpdir(), PREFIX));
      sweep();
    }
    return this.#folder;
  }

  /** Removes whatever is at this path now, and the folder after the last file. */
  remove(path: string): void {
    this.#kept = this.#kept.filter((kept) => kept !== path);
    try {
      rmSync(path, { recursive: true, force: true });
      if (this.#kept.length > 0 || this.#folder === undefined) return;
      rmdirSync(this.#folder);
      this.#folder = undefined;
    } catch {
      // `sweep` removes it later.
    }
  }

  /** Writes a file that only this user can read. */
  write(name: string, text: string): { readonly path: string } | { readonly trouble: string } {
    this.#count += 1;
    try {
      const path = join(this.#open(), `${this.#count}-${name}`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      this.#kept.push(path);
      const oldest = this.#kept.length > MAX_FILES ? this.#kept.shift() : undefined;
      if (oldest !== undefined) rmSync(oldest, { recursive: true, force: true });
      return { path };
    } catch (error) {
      return { trouble: describeThrown(error) };
    }
  }
}

export const ownFiles = new OwnFiles();
