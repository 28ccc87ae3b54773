// Finds taps, which are sockets with an agent's messages, and their directory, which must be private to this user.
import { lstatSync, mkdirSync, readdirSync, type Stats, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { isMissingFileError, isProcessAlive } from '../../kit/node.ts';

/** `os.userInfo()` would throw for users without a passwd entry, as in some containers. */
const getUserId = (): number | undefined => process.getuid?.();

export const getTapDirectory = (env: Readonly<Record<string, string | undefined>> = process.env): string => {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime?.startsWith('/')) return join(runtime, 'hookwright');
  return join(tmpdir(), `hookwright-${getUserId() ?? 'user'}`);
};

const explainUnsafeDirectory = (found: Stats): string | undefined => {
  if (!found.isDirectory()) return 'is not a directory';
  if (found.uid !== getUserId()) return 'belongs to another user';
  return (found.mode & 0o077) === 0 ? undefined : 'is open to others (chmod 700 closes it)';
};

/** False if the directory does not exist. Throws if other users have access: in /tmp any user can create it first. */
const isPrivateDirectory = (directory: string): boolean => {
  let found: Stats;
  try {
    found = lstatSync(directory);
  } catch (error) {
    if (isMissingFileError(error)) return false;
    throw error;
  }
  const trouble = explainUnsafeDirectory(found);
  if (trouble === undefined) return true;
  const message = `${directory} ${trouble}; no tap is opened or looked for there`;
  throw new HookwrightError('invalid_argument', message, { details: { directory } });
};

export const prepareTapDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  isPrivateDirectory(directory);
};

export interface FoundTap {
  readonly pid: number;
  readonly path: string;
}

const isOwnSocket = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isSocket() === true && found.uid === getUserId();
};

export const removeSocket = (path: string): void => {
  try {
    if (isOwnSocket(path)) unlinkSync(path);
  } catch (error) {
    if (!isMissingFileError(error)) throw error;
  }
};

/** Lists taps of running agents, and removes sockets of ended agents. Throws if other users can use the directory. */
export const findTaps = (directory: string): FoundTap[] => {
  if (!isPrivateDirectory(directory)) return [];
  return readdirSync(directory)
    .flatMap((name) => {
      const pid = Number(/^(\d+)(?:-\d+)?\.sock$/.exec(name)?.[1]);
      const path = join(directory, name);
      if (!Number.isInteger(pid) || !isOwnSocket(path)) return [];
      if (isProcessAlive(pid)) return [{ pid, path }];
      removeSocket(path);
      return [];
    })
    .sort((a, b) => a.pid - b.pid || (a.path < b.path ? -1 : 1));
};
