// Folders of tests below the system's temporary folder; test/setup.ts removes them when the file's tests are over.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new, empty folder, by the path that the system itself would name. */
export const temporaryFolder = (name = 'test'): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `hookwright-${name}-`)));
  made.push(folder);
  return folder;
};

export const removeTemporaryFolders = (): void => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};
