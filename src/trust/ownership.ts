import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileOwnership } from '../kit/index.ts';
import { within } from '../kit/node.ts';

const OTHERS = 0o002;
const GROUP = 0o020;
const STICKY = 0o1000;

const ROOT = 0;

const statsOf = async (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

/** The owners whose files count as the user's: the user and root; for root also the owner of the home directory. */
export const trustedOwners = async (home: string): Promise<readonly number[]> => {
  const me = process.getuid?.() ?? ROOT;
  return me === ROOT ? [ROOT, (await statsOf(home))?.uid ?? ROOT] : [ROOT, me];
};

/** Why another user may write a file with these stats; `undefined` if none may. */
export const whyWritable = ({ uid, gid, mode }: FileOwnership, owners: readonly number[]): string | undefined => {
  if (!owners.includes(uid)) return `belongs to another user (uid ${uid}); make it yours with chown`;
  if ((mode & OTHERS) !== 0) return 'can be written by everybody; change that with chmod o-w';
  // A group of the owner alone has the owner's number.
  const isPrivateGroup = gid === ROOT || gid === uid;
  return (mode & GROUP) === 0 || isPrivateGroup
    ? undefined
    : `can be written by the group ${gid}; change that with chmod g-w`;
};

/** Why another user may replace files in a directory; `undefined` if none may. */
export const whyReplaceable = async (directory: string, owners: readonly number[]): Promise<string | undefined> => {
  const stats = await statsOf(directory);
  return stats === undefined || (stats.mode & STICKY) !== 0 ? undefined : whyWritable(stats, owners);
};

/** The directories that lead to a path: up to the home when it is in there, else all of them. */
export const directoriesTo = (path: string, home: string): string[] => {
  const top = within(home, path) === undefined ? undefined : home;
  const directories: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    directories.push(at);
    if (at === top || dirname(at) === at) return directories;
  }
};
