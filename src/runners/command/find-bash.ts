import { delimiter, join } from 'node:path';
import { isExecutable } from '../../kit/node.ts';
import { pathOutside } from './search-path.ts';
import type { Variables } from './shell-words.ts';

/** Where the shells of a machine are, if they are there. */
export interface Shells {
  readonly bash?: string | undefined;
  readonly sh?: string | undefined;
}

const found = new Map<string, Shells>();

/**
 * The shells that read command lines: the first of their name on an absolute entry of PATH outside of the project. Asked
 * once per PATH: programs do not come and go while an agent runs.
 */
export const findShells = ({ PATH = '' }: Variables, projectDir: string): Shells => {
  const searchPath = pathOutside(PATH, projectDir);
  let shells = found.get(searchPath);
  if (shells === undefined) {
    const directories = searchPath.split(delimiter).filter((directory) => directory !== '');
    const first = (name: string) => directories.map((directory) => join(directory, name)).find(isExecutable);
    shells = { bash: first('bash'), sh: first('sh') };
    found.set(searchPath, shells);
  }
  return shells;
};
