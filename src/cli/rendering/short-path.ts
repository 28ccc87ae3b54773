/** Shortens paths for display: relative to the working directory, or with `~`. */
import { dirname, join } from 'node:path';
import { findHomeDirectory, toPathWithin } from '../../kit/node.ts';

const isRoot = (directory: string): boolean => dirname(directory) === directory;

const replaceDirectory = (directory: string, short: string, text: string): string =>
  isRoot(directory) ? text : text.replaceAll(join(directory, '/'), short);

export const shortenPathsInText = (text: string, cwd: string): string =>
  replaceDirectory(findHomeDirectory(), join('~', '/'), replaceDirectory(cwd, '', text));

export const shortenPath = (file: string, cwd: string): string => {
  const fromHere = toPathWithin(cwd, file);
  if (fromHere !== undefined) return fromHere;
  const home = findHomeDirectory();
  const fromHome = toPathWithin(home, file);
  return fromHome === undefined || isRoot(home) ? file : join('~', fromHome);
};
