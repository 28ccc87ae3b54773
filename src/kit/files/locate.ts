// Paths on disk: programs, links, the home directory, and whether one path is inside another.
import { accessSync, constants, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { homeDirectory } from './home-directory.ts';

/** The relative path from a directory to a path in it, with slashes; `undefined` if the path is outside or the same. */
export const within = (directory: string, path: string): string | undefined => {
  const way = relative(directory, path);
  const leaves = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return leaves || way === '' ? undefined : way.split(sep).join('/');
};

/** Whether a path is the directory or inside it. */
export const isWithin = (directory: string, path: string): boolean =>
  relative(directory, path) === '' || within(directory, path) !== undefined;

/** The path with all links resolved; `undefined` if it does not exist. */
export const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

const HOME = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';

/** Why settings and approvals of the user may not be found; `undefined` if the environment names a home directory. */
export const homeProblem = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const home = env[HOME] ?? '';
  const instead = `settings and approvals of the user are looked for in ${homeDirectory()}`;
  if (home === '') return `${HOME} is not set: ${instead}`;
  if (!isAbsolute(home)) return `${HOME} is ${JSON.stringify(home)}, which is no absolute path: ${instead}`;
  const isThere = statSync(home, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere
    ? undefined
    : `${HOME} is ${home}, which is no directory: no settings or approvals of the user are found`;
};

/** Whether a file may be executed; true for most directories too. */
export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The directories of a PATH. An empty entry means the working directory, and is left out. */
export const directoriesOf = (searchPath: string | undefined): string[] =>
  (searchPath ?? '').split(delimiter).filter((directory) => directory !== '');

const isProgram = (file: string): boolean =>
  isExecutable(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The path of a program in the first directory that has it. */
export const findProgram = (name: string, directories: readonly string[]): string | undefined =>
  directories.map((directory) => resolve(directory, name)).find(isProgram);

/** Links in these folders (`/proc/self/cwd`, `/dev/fd/3`) lead each process elsewhere. */
const OF_EACH_PROCESS = /^\/(?:proc|dev)(?:\/|$)/;

/** The limit of Linux. */
const MAX_LINKS = 40;

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

const leavesThroughParent = (path: string): boolean => path.split(sep).includes('..');

/**
 * Whether a path leads through links that differ between processes, so that resolving it tells nothing about other
 * processes. `realPath` is the path as this process resolves it.
 */
export const differsByProcess = (path: string, realPath: string): boolean => {
  if (normalize(path) === realPath && !leavesThroughParent(path)) return OF_EACH_PROCESS.test(realPath);
  const left = path.split(sep);
  let at: string = sep;
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    if (OF_EACH_PROCESS.test(next)) return true;
    const target = linkAt(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return true;
    left.unshift(...target.split(sep));
    if (isAbsolute(target)) at = sep;
  }
  return false;
};
