import { type Dirent, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { HookwrightError } from '../errors.ts';

/** Where this user's agents open their taps: nobody else may look into it. */
export const tapDirectory = (env: Readonly<Record<string, string | undefined>> = process.env): string => {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime?.startsWith('/')) return join(runtime, 'hookwright');
  return join(tmpdir(), `hookwright-${userInfo().uid}`);
};

const unsafe = (directory: string, what: string): HookwrightError =>
  new HookwrightError('invalid_argument', `${directory} ${what}; no tap is opened there`, { details: { directory } });

/** Makes the directory, or makes sure that the one that is there is ours alone: anybody may have put it there. */
export const prepareTapDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw unsafe(directory, 'is not a directory');
  if (found.uid !== userInfo().uid) throw unsafe(directory, 'belongs to somebody else');
  if ((found.mode & 0o077) !== 0) throw unsafe(directory, 'is open to others (chmod 700 closes it)');
};

/** Whether a process of this id exists. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

export interface FoundTap {
  readonly pid: number;
  readonly path: string;
}

const entriesOf = (directory: string): Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Nobody opened one yet.
    return [];
  }
};

/** The taps of agents that are running. What dead ones left behind is taken away. */
export const findTaps = (directory: string): FoundTap[] =>
  entriesOf(directory)
    .filter((entry) => entry.isSocket())
    .flatMap(({ name }) => {
      const pid = Number(/^(\d+)(?:-\d+)?\.sock$/.exec(name)?.[1]);
      if (!Number.isInteger(pid)) return [];
      const path = join(directory, name);
      if (isAlive(pid)) return [{ pid, path }];
      rmSync(path, { force: true });
      return [];
    })
    .sort((a, b) => a.pid - b.pid || (a.path < b.path ? -1 : 1));
