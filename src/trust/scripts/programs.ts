// Finds programs through PATH as the system does.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { findRealPath, toPathWithin } from '../../kit/node.ts';

export interface FoundProgram {
  readonly path: string;
  /** The path with all links resolved. */
  readonly realPath: string;
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const inside = new Map<string, string>();

/** The entries of PATH that lead into a directory, or `undefined` if no program needs to be searched. */
export const pathInto = (directory: string, cwd: string, searchPath = process.env.PATH ?? ''): string | undefined => {
  const key = `${directory}\0${cwd}\0${searchPath}`;
  let entries = inside.get(key);
  if (entries === undefined) {
    const real = findRealPath(directory) ?? directory;
    const isInside = (entry: string): boolean => {
      const path = isAbsolute(entry) ? entry : `${cwd}/${entry}`;
      const realPath = findRealPath(path) ?? path;
      return path === directory || realPath === real || leadsInto(directory, { path, realPath });
    };
    entries = searchPath.split(delimiter).filter(isInside).join(delimiter);
    if (inside.size > 100) inside.clear();
    inside.set(key, entries);
  }
  return entries === '' && !isEmptyEntry(searchPath) ? undefined : entries;
};

/** An empty entry is the working directory. */
const isEmptyEntry = (searchPath: string): boolean => searchPath.split(delimiter).includes('');

/** Finds a program as the system does: empty and relative entries of PATH are relative to `cwd`. */
export const findProgram = (
  name: string,
  cwd: string,
  searchPath = process.env.PATH ?? '',
): FoundProgram | undefined => {
  const isPath = name.includes('/');
  const places = isPath
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

/** Whether a path leads into a directory, directly or through links. */
export const leadsInto = (directory: string, { path, realPath }: FoundProgram): boolean =>
  toPathWithin(directory, path) !== undefined ||
  toPathWithin(findRealPath(directory) ?? directory, realPath) !== undefined;
