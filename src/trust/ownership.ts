/** Checks whether another user can write or replace a settings file. */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOwnership } from '../kit/index.ts';
import { findRealPath, hasFileModes, toPathWithin } from '../kit/node.ts';

export interface OpenedSettings {
  readonly path: string;
  readonly realPath: string;
  readonly stats: FileOwnership;
}

export const whyWritableByOthers = ({ path, realPath, stats }: OpenedSettings, home: string): string | undefined => {
  if (!hasFileModes) return undefined;
  const owners = listTrustedOwners(home);
  const why = whyWritable(stats, owners);
  if (why !== undefined) return why;
  const directories = new Set([...listParents(path, home), ...listParents(realPath, findRealPath(home) ?? home)]);
  for (const directory of directories) {
    const whyDirectory = whyReplaceable(directory, owners);
    if (whyDirectory !== undefined) return `lies in ${directory}, which ${whyDirectory}`;
  }
  return undefined;
};

export const whyHomeReplaceable = (home: string): string | undefined =>
  hasFileModes ? whyReplaceable(home, listTrustedOwners(home)) : undefined;

const WRITE_BY_OTHERS_BIT = 0o002;
const WRITE_BY_GROUP_BIT = 0o020;
const STICKY_BIT = 0o1000;

const ROOT_UID = 0;

const readStats = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

/** Trusts root and the user; if the user is root, also the owner of the home directory. */
const listTrustedOwners = (home: string): readonly number[] => {
  const me = process.getuid?.() ?? ROOT_UID;
  return me === ROOT_UID ? [ROOT_UID, readStats(home)?.uid ?? ROOT_UID] : [ROOT_UID, me];
};

const whyWritable = ({ uid, gid, mode }: FileOwnership, owners: readonly number[]): string | undefined => {
  if (!owners.includes(uid)) return `belongs to another user (uid ${uid}); make it yours with chown`;
  if ((mode & WRITE_BY_OTHERS_BIT) !== 0) return 'can be written by every user; change that with chmod o-w';
  // Linux gives each user a private group with the number of the user.
  const isPrivateGroup = gid === ROOT_UID || gid === uid;
  return (mode & WRITE_BY_GROUP_BIT) === 0 || isPrivateGroup
    ? undefined
    : `can be written by the group ${gid}; change that with chmod g-w`;
};

const whyReplaceable = (directory: string, owners: readonly number[]): string | undefined => {
  const stats = readStats(directory);
  return stats === undefined || (stats.mode & STICKY_BIT) !== 0 ? undefined : whyWritable(stats, owners);
};

const listParents = (path: string, home: string): string[] => {
  const top = toPathWithin(home, path) === undefined ? undefined : home;
  const directories: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    directories.push(at);
    if (at === top || dirname(at) === at) return directories;
  }
};
