import { realpath, stat } from 'node:fs/promises';

export interface WatchState {
  /** Tells two states of a path apart without reading it. Nothing there is a state too. */
  readonly signature: string;
  /** When it last changed, by the clock of the file system. */
  readonly changedAt: number;
}

export const stateOf = async (path: string): Promise<WatchState> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { signature: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAt: Number(ctimeMs) };
  } catch {
    return { signature: 'missing', changedAt: 0 };
  }
};

/** Where a path leads when it, or a directory above it, is a link. */
export const leadsTo = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
};
