// Resolves paths on disk: programs on PATH, symbolic links, and whether one path is inside another.
import { accessSync, constants, existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join, normalize, parse, relative, resolve, sep } from 'node:path';
import { attempt } from '../values.ts';

/** Returns the relative path with forward slashes, or `undefined` if the path is not inside the directory. */
export const toPathWithin = (directory: string, path: string): string | undefined => {
  const found = relative(directory, path);
  const isOutside = found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found);
  return isOutside || found === '' ? undefined : found.split(sep).join('/');
};

export const isWithin = (directory: string, path: string): boolean =>
  relative(directory, path) === '' || toPathWithin(directory, path) !== undefined;

export const findRealPath = (path: string): string | undefined => attempt(() => realpathSync.native(path));

/** `statSync` throws for a path below a file, even with `throwIfNoEntry: false`. */
export const isDirectory = (path: string): boolean => attempt(() => statSync(path).isDirectory()) === true;

export const isFile = (path: string): boolean => attempt(() => statSync(path).isFile()) === true;

/**
 * An empty or relative `HOME` is ignored. It would point into the working directory, so a cloned repository could
 * provide user settings and approvals. Without any home directory (some containers) the root directory is used, which
 * others cannot write.
 */
export const findHomeDirectory = (): string => {
  for (const find of [homedir, () => userInfo().homedir]) {
    // Node throws if the system does not know this user.
    const directory = attempt(find);
    if (directory !== undefined && isAbsolute(directory)) return directory;
  }
  return parse(process.cwd()).root;
};

const HOME_VARIABLE = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';

export const listNames = (directory: string): string[] => attempt(() => readdirSync(directory)) ?? [];

export const explainUnusableHome = (): string | undefined => {
  const home = findHomeDirectory();
  const folder = join(home, '.hookwright');
  if (!isDirectory(home)) return `${HOME_VARIABLE} is ${home}, which is no directory: ${NOTHING_FOUND_TEXT}`;
  return existsSync(folder) && !isDirectory(folder) ? `${folder} is no directory: ${NOTHING_FOUND_TEXT}` : undefined;
};

const NOTHING_FOUND_TEXT = 'no settings or approvals of the user are found';

export const findHomeProblem = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const home = env[HOME_VARIABLE] ?? '';
  const instead = `settings and approvals of the user are looked for in ${findHomeDirectory()}`;
  if (home === '') return `${HOME_VARIABLE} is not set: ${instead}`;
  if (!isAbsolute(home)) return `${HOME_VARIABLE} is ${JSON.stringify(home)}, which is no absolute path: ${instead}`;
  return explainUnusableHome();
};

export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** An empty entry of PATH means the working directory; it is left out, because a project could place programs there. */
export const splitSearchPath = (searchPath: string | undefined): string[] =>
  (searchPath ?? '').split(delimiter).filter((directory) => directory !== '');

export const isProgram = (file: string): boolean => isExecutable(file) && isFile(file);

export const findProgram = (name: string, directories: readonly string[]): string | undefined =>
  directories.map((directory) => resolve(directory, name)).find(isProgram);

/** Each process resolves links in these folders differently (`/proc/self/cwd`, `/dev/fd/3`). */
const PER_PROCESS_FOLDER_PATTERN = /^\/(?:proc|dev)(?:\/|$)/;

/** Linux follows at most 40 symbolic links. */
const MAX_FOLLOWED_LINKS = 40;

/**
 * True if a path contains links that each process resolves differently. `realPath` is the path as this process resolves
 * it.
 */
export const differsByProcess = (path: string, realPath: string): boolean => {
  const left = path.split(sep);
  if (normalize(path) === realPath && !left.includes('..')) return PER_PROCESS_FOLDER_PATTERN.test(realPath);
  let at: string = sep;
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    if (PER_PROCESS_FOLDER_PATTERN.test(next)) return true;
    const target = attempt(() => readlinkSync(next));
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_FOLLOWED_LINKS) return true;
    left.unshift(...target.split(sep));
    if (isAbsolute(target)) at = sep;
  }
  return false;
};
