import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const OTHERS = 0o002;
const GROUP = 0o020;
const STICKY = 0o1000;

const ROOT = 0;

const ownerOf = async (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );

/** Whose files count as those of the user: the user's own and root's; to root those of whoever the home belongs to. */
const trustedOwners = async (home: string): Promise<readonly number[]> => {
  const me = process.getuid?.() ?? ROOT;
  return me === ROOT ? [ROOT, (await ownerOf(home)) ?? ROOT] : [ROOT, me];
};

const whyOf = ({ uid, gid, mode }: Stats, owners: readonly number[]): string | undefined => {
  if (!owners.includes(uid)) return `belongs to another user (uid ${uid}); make it yours with chown`;
  if ((mode & OTHERS) !== 0) return 'can be written by everybody; take that away with chmod o-w';
  // A group of the owner alone has the owner's number.
  const isPrivateGroup = gid === ROOT || gid === uid;
  return (mode & GROUP) === 0 || isPrivateGroup
    ? undefined
    : `can be written by the group ${gid}; take that away with chmod g-w`;
};

/**
 * Why a settings file of the user or the system is not theirs alone to write, if so: it could then say what somebody else
 * wants it to say, and be another file if that holds for its directory.
 */
export const whyExposed = async (path: string, stats: Stats, home: string): Promise<string | undefined> => {
  if (process.platform === 'win32') return undefined;
  const owners = await trustedOwners(home);
  const why = whyOf(stats, owners);
  if (why !== undefined) return why;
  const directory = dirname(path);
  const around = await stat(directory).catch(() => undefined);
  if (around === undefined || (around.mode & STICKY) !== 0) return undefined;
  const whyAround = whyOf(around, owners);
  return whyAround === undefined ? undefined : `lies in ${directory}, which ${whyAround}`;
};
