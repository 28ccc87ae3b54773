/** Where programs, homes and links are on the disk, and whether one path is in another. */
import { accessSync, constants, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { homeDirectory } from './home-directory.ts';

/** The way from a directory to something in it; nothing when it is elsewhere. */
export const within = (directory: string, path: string): string | undefined => {
  const way = relative(directory, path);
  const leaves = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return leaves || way === '' ? undefined : way.split(sep).join('/');
};

/** Whether a path is a directory or in it. */
export const isWithin = (directory: string, path: string): boolean =>
  relative(directory, path) === '' || within(directory, path) !== undefined;

/** Where a path leads through all links; nothing when that is nowhere. */
export const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

const HOME = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';

/** Why settings and approvals of the user may not be found; `undefined` if the environment names the home directory. */
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

/** Whether it may be executed; a directory may be, too. */
export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The directories of a PATH; an empty one stands for where one happens to be, and is left out. */
export const directoriesOf = (searchPath: string | undefined): string[] =>
  (searchPath ?? '').split(delimiter).filter((directory) => directory !== '');

const isProgram = (file: string): boolean =>
  isExecutable(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** Where a program is found that is named without a path. */
export const findProgram = (name: string, directories: readonly string[]): string | undefined =>
  directories.map((directory) => resolve(directory, name)).find(isProgram);

/** Links in here (`/proc/self/cwd`, `/dev/fd/3`) lead every process that follows them elsewhere. */
const OF_EACH_PROCESS = /^\/(?:proc|dev)(?:\/|$)/;

/** As many links as Linux follows. */
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
 * Whether the way along an absolute path comes through what each process sees otherwise, so that looking at it says nothing about
 * what another process would open. `realPath` is where it leads this one.
 */
export const isSeenByEachAlone = (path: string, realPath: string): boolean => {
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
