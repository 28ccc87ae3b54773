/** Texts of a file's metadata (stamps) that show whether it changed since, without reading it. */
import { lstatSync, statSync } from 'node:fs';

/** Two changes within one step of a file system's clock have the same time. */
const TICK_MS = 100;

let unsettledCount = 0;

/**
 * No program can set ctime back. For a file changed within the last tick the stamp differs every time, since a second
 * change in that tick would not show.
 */
export const readFileStamp = (path: string, { follow = true } = {}): string | undefined => {
  try {
    const look = follow ? statSync : lstatSync;
    const stats = look(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return undefined;
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats;
    const isSettled = Date.now() - Number(ctimeMs) > TICK_MS;
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
