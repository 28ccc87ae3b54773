// Finds programs through PATH as the system does.
import { delimiter, isAbsolute } from 'node:path';
import { findRealPath, isProgram, toPathWithin } from '../../kit/node.ts';

export interface FoundProgram {
  readonly path: string;
  readonly realPath: string;
}

const searchPathCache = new Map<string, string>();

/** Returns the entries of PATH that lead into the directory; `undefined` if there are none. */
export const findSearchPathInto = (directory: string, cwd: string): string | undefined => {
  const searchPath = process.env.PATH ?? '';
  const key = `${directory}\0${cwd}\0${searchPath}`;
  let entries = searchPathCache.get(key);
  if (entries === undefined) {
    const real = findRealPath(directory) ?? directory;
    const isInside = (entry: string): boolean => {
      const path = isAbsolute(entry) ? entry : `${cwd}/${entry}`;
      const realPath = findRealPath(path) ?? path;
      return path === directory || realPath === real || isProgramInside(directory, { path, realPath });
    };
    entries = searchPath.split(delimiter).filter(isInside).join(delimiter);
    if (searchPathCache.size > 100) searchPathCache.clear();
    searchPathCache.set(key, entries);
  }
  const hasEmptyEntry = searchPath.split(delimiter).includes('');
  return entries === '' && !hasEmptyEntry ? undefined : entries;
};

export const findProgram = (name: string, cwd: string, searchPath: string): FoundProgram | undefined => {
  const places = name.includes('/')
    ? [name]
    : searchPath.split(delimiter).map((directory) => `${directory === '' ? '.' : directory}/${name}`);
  for (const place of places) {
    const path = isAbsolute(place) ? place : `${cwd}/${place}`;
    if (!isProgram(path)) continue;
    const realPath = findRealPath(path);
    if (realPath !== undefined) return { path, realPath };
  }
  return undefined;
};

export const isProgramInside = (directory: string, { path, realPath }: FoundProgram): boolean =>
  toPathWithin(directory, path) !== undefined ||
  toPathWithin(findRealPath(directory) ?? directory, realPath) !== undefined;
