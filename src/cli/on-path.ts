import { delimiter, join, resolve } from 'node:path';
import { isExecutable } from '../runners/find-bash.ts';

/** Where a program is found that is named without a path. */
export const onPath = (name: string, { PATH = '' }: Readonly<Record<string, string | undefined>>): string | undefined =>
  PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(resolve(directory), name))
    .find(isExecutable);
