// Writes temporary files that only the current user can read.
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeThrown } from '../json.ts';

const DIRECTORY_PREFIX = 'hookwright-hooks-';

/** Older folders were left by processes that ended without cleaning up. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1_000;

/** Limits disk use when a hook produces much output at every call. */
const MAX_FILES = 256;

/** Windows has no user ids; its folder for temporary files belongs to the user. */
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
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it first, or it cannot be removed.
    }
  }
};

export class OwnFiles {
  #folder: string | undefined;
  #count = 0;
  #kept: string[] = [];

  #open(): string {
    // A cleaner may remove the folder during a session, and another user may create a folder with that name.
    if (this.#folder === undefined || !isOwnFolder(this.#folder)) {
      this.#folder = mkdtempSync(join(tmpdir(), DIRECTORY_PREFIX));
      sweep();
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
      // `sweep` removes the file later.
    }
  }

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
