import { rm } from 'node:fs/promises';
import { readRegular, sha256 } from '../../kit/node.ts';
import { MAX_BYTES } from './settings-text.ts';
import type { SettingsChange } from './undo-log.ts';

/** What became of the files a change made. */
export interface RemovedFiles {
  readonly removed: readonly string[];
  /** Somebody worked on these since. */
  readonly kept: readonly string[];
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  const found = readRegular(path, { maxBytes: MAX_BYTES });
  // Gone, or not to be read: in neither case is it ours to remove.
  return 'bytes' in found ? found.bytes.toString('utf8') : undefined;
};

/** Takes away the files that were made along with a change, if they still are as they were made. */
export const removeMade = async ({ made = [] }: SettingsChange, dryRun: boolean): Promise<RemovedFiles> => {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { path, sha256: hash } of made) {
    const text = await readIfThere(path);
    if (text === undefined) continue;
    if (sha256(text) !== hash) {
      kept.push(path);
      continue;
    }
    if (!dryRun) await rm(path, { force: true });
    removed.push(path);
  }
  return { removed, kept };
};
