/** Finds recorded sessions, and creates files for new ones. Links that lead out of the directory are refused. */
import { lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import { isMissingFileError, listNames, readErrorCode, toPathWithin } from '../../kit/node.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { NotFoundError, UsageError } from '../usage-error.ts';

const SESSIONS_DIRECTORY = join('.hookwright', 'sessions');

/** A repository could contain a link or an endless pipe in place of a session. */
const explainUnusableSession = (cwd: string, file: string): string | undefined => {
  try {
    const target = findTargetOutside(cwd, file);
    if (target !== undefined) return `leads out of this directory, to ${target}`;
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return 'does not exist';
    return stats.isFile() ? undefined : 'is not a regular file';
  } catch (error) {
    return `cannot be looked at: ${describeThrown(error)}`;
  }
};

const listSessionPaths = (cwd: string): string[] =>
  listNames(join(cwd, SESSIONS_DIRECTORY))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(cwd, SESSIONS_DIRECTORY, name))
    .map((file) => ({ file, at: lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    // Names begin with the time, which orders files of the same millisecond.
    .sort((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1))
    .map(({ file }) => file);

export const listRecordedSessions = (cwd: string): string[] =>
  listSessionPaths(cwd).filter((file) => explainUnusableSession(cwd, file) === undefined);

const expectUsableSession = (cwd: string, file: string): string => {
  const why = explainUnusableSession(cwd, file);
  if (why === undefined) return file;
  throw new UsageError(`${shortenPath(file, cwd)} is not a session: it ${why}`, 'name a file, or remove this one');
};

export const findSessionFile = (cwd: string, wish: string | undefined): string => {
  if (wish !== undefined && wish !== 'last') {
    const file = resolve(cwd, wish);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return expectUsableSession(cwd, file);
    throw new UsageError(
      `there is no session ${shortenPath(file, cwd)}`,
      'last means the newest in .hookwright/sessions',
    );
  }
  const [newest] = listSessionPaths(cwd);
  if (newest !== undefined) return expectUsableSession(cwd, newest);
  throw new NotFoundError(
    `nothing has been recorded in ${SESSIONS_DIRECTORY}`,
    'record something: hookwright record -- <your agent>, or hookwright run <event> --record; agents that start hookwright leave a journal',
  );
};

/** Sessions contain private conversations, so git ignores the folder unless the user changes its .gitignore. */
const keepFromGit = (directory: string): void => {
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // The file exists already. If the folder cannot be written, the recording reports that.
  }
};

export const createSessionFile = (cwd: string, now: Date): string => {
  const file = selectRecordingFile(cwd, join(SESSIONS_DIRECTORY, `${now.toISOString().replace(/[:.]/g, '-')}.jsonl`));
  keepFromGit(dirname(file));
  return file;
};

export const selectRecordingFile = (cwd: string, wish: string): string => {
  const file = resolve(cwd, wish);
  const target = findTargetOutside(cwd, file);
  if (target === undefined) return file;
  throw new UsageError(
    `nothing is recorded: ${shortenPath(file, cwd)} leads out of this directory, to ${target}`,
    'put a directory there, not a link; or name the real file with --file',
  );
};

const isDanglingLinkError = (error: unknown): boolean => isMissingFileError(error) || readErrorCode(error) === 'ELOOP';

/** Also resolves a path whose last parts do not exist, or are links that lead nowhere. */
export const findRealTarget = (path: string): string => {
  try {
    return realpathSync(path);
  } catch (error) {
    const up = dirname(path);
    if (!isDanglingLinkError(error) || up === path) throw error;
    return join(findRealTarget(up), basename(path));
  }
};

/** Another author may have made a link in the directory. A path outside was chosen by the user, so it has no target. */
export const findTargetOutside = (directory: string, path: string): string | undefined => {
  if (toPathWithin(directory, path) === undefined) return undefined;
  const target = findRealTarget(path);
  return toPathWithin(findRealTarget(directory), target) === undefined ? target : undefined;
};
