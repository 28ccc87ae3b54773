import { isAbsolute, relative, sep } from 'node:path';

/** The way from a directory to something in it; nothing when it is elsewhere. */
export const within = (directory: string, path: string): string | undefined => {
  const way = relative(directory, path);
  const leaves = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return leaves || way === '' ? undefined : way.split(sep).join('/');
};

/** Whether a path is a directory or in it. */
export const isWithin = (directory: string, path: string): boolean =>
  relative(directory, path) === '' || within(directory, path) !== undefined;
