import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';

export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-inspector-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not here: another folder may have it.
    return false;
  }
};

/** A browser of this machine, where there is one. */
export const chromium = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find(isProgram);
