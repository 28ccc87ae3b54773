import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, isMissing, within } from '../../kit/node.ts';

/** There is nothing at the end of the way, because there is nothing or because the way has no end. */
const leadsNowhere = (error: unknown): boolean => isMissing(error) || codeOf(error) === 'ELOOP';

/** Where a path leads behind all links, as far as there is something. */
const realTarget = (path: string): string => {
  try {
    return realpathSync(path);
  } catch (error) {
    const up = dirname(path);
    if (!leadsNowhere(error) || up === path) throw error;
    return join(realTarget(up), basename(path));
  }
};

/**
 * Where a path of this directory leads out of it by links, if so: another author may have put them there. Paths that
 * the user names elsewhere are the user's own choice.
 */
export const leadsOut = (directory: string, path: string): string | undefined => {
  if (within(directory, path) === undefined) return undefined;
  const target = realTarget(path);
  return within(realTarget(directory), target) === undefined ? target : undefined;
};
