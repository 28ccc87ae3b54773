import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { within } from '../../kit/node.ts';

/** A program as the system would find it. */
export interface FoundProgram {
  /** Where it was found. */
  readonly path: string;
  /** Where that leads, through all links. */
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

const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

/** Looks for a program as the system does when it starts one: entries that are empty or relative lead into `cwd`. */
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
    const realPath = realPathOf(path);
    if (realPath !== undefined) return { path, realPath };
  }
  return undefined;
};

/** Whether a path leads into a directory, as it is written or through links. */
export const leadsInto = (directory: string, { path, realPath }: FoundProgram): boolean =>
  within(directory, path) !== undefined || within(realPathOf(directory) ?? directory, realPath) !== undefined;
