import { directoriesOf, findProgram } from '../../kit/node.ts';
import { outsideOfProject, pathOutside } from './search-path.ts';
import type { Variables } from './shell-words.ts';

/** Where the shells of a machine are, if they are there. */
export interface Shells {
  readonly bash?: string | undefined;
  readonly sh?: string | undefined;
}

const found = new Map<string, Shells>();
const MAX_FOUND = 100;

/**
 * The shells that read command lines: the first of their name on an absolute entry of PATH outside of the project, and no link
 * into it. Asked once per PATH: programs do not come and go while an agent runs.
 */
export const findShells = ({ PATH = '' }: Variables, projectDir: string): Shells => {
  const key = `${projectDir}\0${PATH}`;
  let shells = found.get(key);
  if (shells === undefined) {
    const directories = directoriesOf(pathOutside(PATH, projectDir));
    const isOutside = outsideOfProject(projectDir);
    const first = (name: string): string | undefined =>
      directories.flatMap((directory) => findProgram(name, [directory]) ?? []).find(isOutside);
    shells = { bash: first('bash'), sh: first('sh') };
    if (found.size >= MAX_FOUND) found.clear();
    found.set(key, shells);
  }
  return shells;
};
