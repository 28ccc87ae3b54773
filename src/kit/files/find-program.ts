import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** Whether it may be executed; a directory may be, too. */
export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The directories of a PATH; an empty one stands for where one happens to be, and is left out. */
export const directoriesOf = (searchPath: string | undefined): string[] =>
  (searchPath ?? '').split(delimiter).filter((directory) => directory !== '');

const isProgram = (file: string): boolean =>
  isExecutable(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** Where a program is found that is named without a path. */
export const findProgram = (name: string, directories: readonly string[]): string | undefined =>
  directories.map((directory) => resolve(directory, name)).find(isProgram);
