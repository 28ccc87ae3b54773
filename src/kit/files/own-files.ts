/** Files for the time of a session, which only its user may read. */
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeThrown } from '../json.ts';

const PREFIX = 'hookwright-hooks-';

/** Files of a live session may be this old; older ones were left behind. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1_000;

/** A hook that says too much at every call must not fill the disk. */
const MAX_FILES = 256;

/** Windows knows no such number; there a folder for temporary files is the user's own. */
const isOurs = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid);

const isLeftBehind = (path: string): boolean => {
  const stats = lstatSync(path);
  return isOurs(stats) && Date.now() - stats.mtimeMs > KEPT_MS;
};

const isOwnFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOurs(stats);
};

/** Takes away what processes before this one have left behind. */
const sweep = (): void => {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process took it away first; what cannot be taken away stays.
    }
  }
};

/** Files for the time of a session, in a folder that only its owner may read; it is made with the first file. */
export class OwnFiles {
  #folder: string | undefined;
  #count = 0;
  #kept: string[] = [];

  #open(): string {
    // A cleaner may remove the folder while a session goes on, and another user make one of that name.
    if (this.#folder === undefined || !isOwnFolder(this.#folder)) {
      this.#folder = mkdtempSync(join(tmpdir(), PREFIX));
      sweep();
    }
    return this.#folder;
  }

  /** Takes a file away, whatever a hook has put in its place, and the folder with the last one. */
  remove(path: string): void {
    this.#kept = this.#kept.filter((kept) => kept !== path);
    try {
      rmSync(path, { recursive: true, force: true });
      if (this.#kept.length > 0 || this.#folder === undefined) return;
      rmdirSync(this.#folder);
      this.#folder = undefined;
    } catch {
      // What cannot be taken away now is swept later.
    }
  }

  /** Puts a text where only this user can read it. */
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
