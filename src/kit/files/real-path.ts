import { realpathSync } from 'node:fs';

/** Where a path leads through all links; nothing when that is nowhere. */
export const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};
