/** Paths as people in this directory write them: from here, or from their home. */
import { dirname, join } from 'node:path';
import { homeDirectory, within } from '../../kit/node.ts';

const isRoot = (directory: string): boolean => dirname(directory) === directory;

/** Everything lies in the root: that something does says nothing. */
const inPlaceOf = (directory: string, short: string, text: string): string =>
  isRoot(directory) ? text : text.replaceAll(join(directory, '/'), short);

/** A text in which paths are written as people in this directory write them. */
export const withShortPaths = (text: string, cwd: string): string =>
  inPlaceOf(homeDirectory(), join('~', '/'), inPlaceOf(cwd, '', text));

/** A path as people in this directory write it: from here, or from their home. */
export const shortPath = (file: string, cwd: string): string => {
  const fromHere = within(cwd, file);
  if (fromHere !== undefined) return fromHere;
  const home = homeDirectory();
  const fromHome = within(home, file);
  return fromHome === undefined || isRoot(home) ? file : join('~', fromHome);
};
