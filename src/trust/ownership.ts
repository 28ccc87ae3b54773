/** Tells whether another user may write a file or replace it. */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOwnership } from '../kit/index.ts';
import { hasModes, realPathOf, within } from '../kit/node.ts';

/** A file of the user or the system, as it was found and opened. */
export interface OpenedSettings {
  /** The path under which it is looked for. */
  readonly path: string;
  /** Where that leads, through all links. */
  readonly realPath: string;
  readonly stats: FileOwnership;
}

/**
 * Why another user may write a settings file of the user or the system, or a directory on the way to it; `undefined` if none
 * may. Such a file could say what another user wants.
 */
export const whyExposed = ({ path, realPath, stats }: OpenedSettings, home: string): string | undefined => {
  if (!hasModes) return undefined;
  const owners = trustedOwners(home);
  const why = whyWritable(stats, owners);
  if (why !== undefined) return why;
  const directories = new Set([...directoriesTo(path, home), ...directoriesTo(realPath, realPathOf(home) ?? home)]);
  for (const directory of directories) {
    const whyDirectory = whyReplaceable(directory, owners);
    if (whyDirectory !== undefined) return `lies in ${directory}, which ${whyDirectory}`;
  }
  return undefined;
};

/** Why another user may replace the home directory's members, and with them the approvals; `undefined` if none may. */
export const whyHomeReplaceable = (home: string): string | undefined =>
  hasModes ? whyReplaceable(home, trustedOwners(home)) : undefined;

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

/** Why another user may write a file with these stats; `undefined` if none may. */
const whyWritable = ({ uid, gid, mode }: FileOwnership, owners: readonly number[]): string | undefined => {
  if (!owners.includes(uid)) return `belongs to another user (uid ${uid}); make it yours with chown`;
  if ((mode & OTHERS) !== 0) return 'can be written by everybody; change that with chmod o-w';
  // A group of the owner alone has the owner's number.
  const isPrivateGroup = gid === ROOT || gid === uid;
  return (mode & GROUP) === 0 || isPrivateGroup
    ? undefined
    : `can be written by the group ${gid}; change that with chmod g-w`;
};

/** Why another user may replace files in a directory; `undefined` if none may. */
const whyReplaceable = (directory: string, owners: readonly number[]): string | undefined => {
  const stats = statsOf(directory);
  return stats === undefined || (stats.mode & STICKY) !== 0 ? undefined : whyWritable(stats, owners);
};

/** The directories that lead to a path: up to the home when it is in there, else all of them. */
const directoriesTo = (path: string, home: string): string[] => {
  const top = within(home, path) === undefined ? undefined : home;
  const directories: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    directories.push(at);
    if (at === top || dirname(at) === at) return directories;
  }
};
