import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Variables } from './shell-words.ts';

const found = new Map<string, string | undefined>();

export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Where bash is on this PATH. Asked once per PATH: programs do not come and go while an agent runs. */
export const findBash = ({ PATH = '' }: Variables): string | undefined => {
  if (!found.has(PATH)) {
    const directories = PATH.split(delimiter).filter((directory) => isAbsolute(directory));
    found.set(PATH, directories.map((directory) => join(directory, 'bash')).find(isExecutable));
  }
  return found.get(PATH);
};
