/** Stamps that tell whether a file is unchanged without reading it. */
import { lstatSync, statSync } from 'node:fs';

/** Timestamps of file systems have steps: two changes within one step look like one. */
const TICK_MS = 100;

let looks = 0;

/**
 * A text that changes whenever the file does: no program can set ctime back. For a file changed within the last tick it
 * differs every time, so that the content is read until a further change would show.
 */
export const stampOf = (path: string, { follow = true } = {}): string | undefined => {
  try {
    const look = follow ? statSync : lstatSync;
    const stats = look(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return undefined;
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats;
    const isSettled = Date.now() - Number(ctimeMs) > TICK_MS;
    if (!isSettled) looks += 1;
    return [dev, ino, size, mtimeNs, ctimeNs, ...(isSettled ? [] : [looks])].join(' ');
  } catch {
    return 'unreadable';
  }
};

/** Changes with the owner and mode of a directory, but not with its content. */
export const ownershipStampOf = (path: string): string | undefined => {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && [stats.dev, stats.ino, stats.uid, stats.gid, stats.mode].join(' ');
  } catch {
    return 'unreadable';
  }
};
