import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const temporaryDirectory = (): string => temporaryFolder('inspector');

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
