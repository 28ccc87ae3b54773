/** Stamps by which a file that was read is known to be unchanged, without reading it again. */
import { lstatSync, statSync } from 'node:fs';

/** Clocks of file systems tick in steps: two changes within one of them look like one. */
const TICK_MS = 100;

let looks = 0;

/**
 * What changes when a file does: writing sets the last two, and no program can set the very last one back. Of a file that
 * changed just now it is different every time, so that its content is looked at until the next change would show.
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

/** Who owns a directory and who may write there; it does not change with what lies in it. */
export const ownershipStampOf = (path: string): string | undefined => {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && [stats.dev, stats.ino, stats.uid, stats.gid, stats.mode].join(' ');
  } catch {
    return 'unreadable';
  }
};
