/** Creates stamps: texts of a file's metadata that differ if the file changed, so that it need not be read. */
import { lstatSync, statSync } from 'node:fs';

/** The resolution of a file system's clock: two changes within this time can have the same ctime. */
const FILE_CLOCK_STEP_MS = 100;

let unsettledCount = 0;

/** Contains ctime, which programs cannot set. While a further change could get the same ctime, each stamp is unique. */
export const readFileStamp = (path: string, { follow = true } = {}): string | undefined => {
  try {
    const look = follow ? statSync : lstatSync;
    const stats = look(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return undefined;
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats;
    const isSettled = Date.now() - Number(ctimeMs) > FILE_CLOCK_STEP_MS;
    if (!isSettled) unsettledCount += 1;
    return [dev, ino, size, mtimeNs, ctimeNs, ...(isSettled ? [] : [unsettledCount])].join(' ');
  } catch {
    return 'unreadable';
  }
};

export const readOwnershipStamp = (path: string): string | undefined => {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && [stats.dev, stats.ino, stats.uid, stats.gid, stats.mode].join(' ');
  } catch {
    return 'unreadable';
  }
};
