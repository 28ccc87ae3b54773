import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { UsageError } from '../arguments/usage-error.ts';
import { NothingThere } from './nothing-there.ts';

const SESSIONS_DIRECTORY = join('.hookwright', 'sessions');

const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    // None were recorded here, and whoever needs one is told so.
    return [];
  }
};

/** The recordings of a directory, the newest first. */
export const recordedSessions = (cwd: string): string[] =>
  filesIn(join(cwd, SESSIONS_DIRECTORY))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(cwd, SESSIONS_DIRECTORY, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    // Names begin with the time, which tells those of one moment apart.
    .sort((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1))
    .map(({ file }) => file);

/** The session somebody means: a file, or the newest one for `last` and for nothing. */
export const sessionFile = (cwd: string, wish: string | undefined): string => {
  if (wish !== undefined && wish !== 'last') {
    const file = resolve(cwd, wish);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
    throw new UsageError(
      `there is no session ${shortPath(file, cwd)}`,
      'last means the newest in .hookwright/sessions',
    );
  }
  const [newest] = recordedSessions(cwd);
  if (newest !== undefined) return newest;
  throw new NothingThere(
    `nothing has been recorded in ${SESSIONS_DIRECTORY}`,
    'record something first: hookwright record -- <your agent>, or hookwright run <event> --record',
  );
};

/** Where a new session goes: the time comes first, so that names sort by it. */
export const newSessionFile = (cwd: string, now: Date): string =>
  join(cwd, SESSIONS_DIRECTORY, `${now.toISOString().replace(/[:.]/g, '-')}.jsonl`);

const isOutside = (path: string): boolean => path === '' || path.startsWith('..') || isAbsolute(path);

/** A text in which paths are written as people in this directory write them. */
export const withShortPaths = (text: string, cwd: string): string =>
  text.replaceAll(join(cwd, '/'), '').replaceAll(join(homedir(), '/'), join('~', '/'));

/** A path as people in this directory write it: from here, or from their home. */
export const shortPath = (file: string, cwd: string): string => {
  const fromHere = relative(cwd, file);
  if (!isOutside(fromHere)) return fromHere;
  const fromHome = relative(homedir(), file);
  return isOutside(fromHome) ? file : join('~', fromHome);
};
