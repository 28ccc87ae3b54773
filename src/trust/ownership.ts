/** Checks whether another user can write or replace a settings file. */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOwnership } from '../kit/index.ts';
import { findRealPath, hasFileModes, toPathWithin } from '../kit/node.ts';

/** A settings file of the user or the system that was opened. */
export interface OpenedSettings {
  readonly path: string;
  /** The path with all links resolved. */
  readonly realPath: string;
  readonly stats: FileOwnership;
}

/**
 * Why another user can write a settings file or a directory on its path; `undefined` if none can. Such a file could
 * contain another user's settings.
 */
export const whyWritableByOthers = ({ path, realPath, stats }: OpenedSettings, home: string): string | undefined => {
  if (!hasFileModes) return undefined;
  const owners = trustedOwners(home);
  const why = whyWritable(stats, owners);
  if (why !== undefined) return why;
  const directories = new Set([...directoriesTo(path, home), ...directoriesTo(realPath, findRealPath(home) ?? home)]);
  for (const directory of directories) {
    const whyDirectory = whyReplaceable(directory, owners);
    if (whyDirectory !== undefined) return `lies in ${directory}, which ${whyDirectory}`;
  }
  return undefined;
};

/** Why another user can replace members of the home directory, including the approvals; `undefined` if none can. */
export const whyHomeReplaceable = (home: string): string | undefined =>
  hasFileModes ? whyReplaceable(home, trustedOwners(home)) : undefined;

const OTHERS = 0o002;
const GROUP = 0o020;
const STICKY = 0o1000;

const ROOT = 0;

const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

/** The owners whose files count as the user's: the user and root; for root also the owner of the home directory. */
const trustedOwners = (home: string): readonly number[] => {
  const me = process.getuid?.() ?? ROOT;
  return me === ROOT ? [ROOT, statsOf(home)?.uid ?? ROOT] : [ROOT, me];
};

const whyWritable = ({ uid, gid, mode }: FileOwnership, owners: readonly number[]): string | undefined => {
  if (!owners.includes(uid)) return `belongs to another user (uid ${uid}); make it yours with chown`;
  if ((mode & OTHERS) !== 0) return 'can be written by everybody; change that with chmod o-w';
  // A user's private group has the user's number.
  const isPrivateGroup = gid === ROOT || gid === uid;
  return (mode & GROUP) === 0 || isPrivateGroup
    ? undefined
    : `can be written by the group ${gid}; change that with chmod g-w`;
};

const whyReplaceable = (directory: string, owners: readonly number[]): string | undefined => {
  const stats = statsOf(directory);
  return stats === undefined || (stats.mode & STICKY) !== 0 ? undefined : whyWritable(stats, owners);
};

/** The parent directories of a path, up to the home directory if it is below it. */
const directoriesTo = (path: string, home: string): string[] => {
  const top = toPathWithin(home, path) === undefined ? undefined : home;
  const directories: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    directories.push(at);
    if (at === top || dirname(at) === at) return directories;
  }
};
