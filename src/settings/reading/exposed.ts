import { realpath } from 'node:fs/promises';
import type { FileOwnership } from '../../kit/index.ts';
import { directoriesTo, trustedOwners, whyReplaceable, whyWritable } from '../../trust/index.ts';

/** A file of the user or the system, as it was found and opened. */
export interface OpenedSettings {
  /** As it is looked for. */
  readonly path: string;
  /** Where that leads, through all links. */
  readonly realPath: string;
  readonly stats: FileOwnership;
}

/**
 * Why another user may write a settings file of the user or the system, or a directory on the way to it; `undefined` if none
 * may. Such a file could say what another user wants.
 */
export const whyExposed = async (
  { path, realPath, stats }: OpenedSettings,
  home: string,
): Promise<string | undefined> => {
  if (process.platform === 'win32') return undefined;
  const owners = await trustedOwners(home);
  const why = whyWritable(stats, owners);
  if (why !== undefined) return why;
  const realHome = await realpath(home).catch(() => home);
  const around = new Set([...directoriesTo(path, home), ...directoriesTo(realPath, realHome)]);
  for (const directory of around) {
    const whyAround = await whyReplaceable(directory, owners);
    if (whyAround !== undefined) return `lies in ${directory}, which ${whyAround}`;
  }
  return undefined;
};
