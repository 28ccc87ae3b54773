import { isAbsolute } from 'node:path';
import { directoriesOf, findProgram } from '../kit/node.ts';
import type { Variables } from './shell-words.ts';

const found = new Map<string, string | undefined>();

/** Where bash is on this PATH. Asked once per PATH: programs do not come and go while an agent runs. */
export const findBash = ({ PATH = '' }: Variables): string | undefined => {
  if (!found.has(PATH)) found.set(PATH, findProgram('bash', directoriesOf(PATH).filter(isAbsolute)));
  return found.get(PATH);
};
