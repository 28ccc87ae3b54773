import { lstatSync, mkdirSync, readdirSync, type Stats, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { codeOf, isMissing } from '../../kit/node.ts';

/** The user that this process is; also one whom the machine has no entry for, as in some containers. */
const ownId = (): number | undefined => process.getuid?.();

/** Where this user's agents open their taps: other users may not read it. */
export const tapDirectory = (env: Readonly<Record<string, string | undefined>> = process.env): string => {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime?.startsWith('/')) return join(runtime, 'hookwright');
  return join(tmpdir(), `hookwright-${ownId() ?? 'user'}`);
};

const troubleWith = (found: Stats): string | undefined => {
  if (!found.isDirectory()) return 'is not a directory';
  if (found.uid !== ownId()) return 'belongs to somebody else';
  return (found.mode & 0o077) === 0 ? undefined : 'is open to others (chmod 700 closes it)';
};

/** Whether there is a directory, which must be ours alone then: any user may have put it there. */
const isThere = (directory: string): boolean => {
  let found: Stats;
  try {
    found = lstatSync(directory);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  const trouble = troubleWith(found);
  if (trouble === undefined) return true;
  const message = `${directory} ${trouble}; no tap is opened or looked for there`;
  throw new HookwrightError('invalid_argument', message, { details: { directory } });
};

/** Makes the directory where it is missing, and makes sure that it is ours alone. */
export const prepareTapDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  isThere(directory);
};

/** Whether a process of this id exists. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
};

export interface FoundTap {
  readonly pid: number;
  readonly path: string;
}

/** A socket of this user's; not what a link of that name leads to. */
const isOwnSocket = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isSocket() === true && found.uid === ownId();
};

/** Removes a socket without a listening process, and nothing that came into its place. */
export const removeSocket = (path: string): void => {
  try {
    if (isOwnSocket(path)) unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};

/**
 * The taps of agents that are running. Sockets of dead ones are removed. Throws when the directory is not this user's
 * alone: its contents then may be of any user.
 */
export const findTaps = (directory: string): FoundTap[] => {
  if (!isThere(directory)) return [];
  return readdirSync(directory)
    .flatMap((name) => {
      const pid = Number(/^(\d+)(?:-\d+)?\.sock$/.exec(name)?.[1]);
      const path = join(directory, name);
      if (!Number.isInteger(pid) || !isOwnSocket(path)) return [];
      if (isAlive(pid)) return [{ pid, path }];
      removeSocket(path);
      return [];
    })
    .sort((a, b) => a.pid - b.pid || (a.path < b.path ? -1 : 1));
};
