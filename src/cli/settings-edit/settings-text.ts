import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import { isMissing, readRegular, within } from '../../kit/node.ts';

/** A file as it is now, and where a change of it has to go. */
export interface SettingsText {
  /** As people name it. */
  readonly file: string;
  /** The file behind all links: what is replaced. */
  readonly target: string;
  /** Absent when there is no file yet. */
  readonly text?: string | undefined;
  readonly mode?: number | undefined;
}

export type ReadSettings =
  | { readonly ok: true; readonly read: SettingsText }
  | { readonly ok: false; readonly message: string };

/** What our commands change was written by people. */
export const MAX_BYTES = 4 * 1_048_576;

const unlessMissing = (error: unknown): undefined => {
  if (isMissing(error)) return undefined;
  throw error;
};

/** Where a path leads: as far as there is something, behind all links. */
const realTarget = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(unlessMissing);
  if (real !== undefined) return real;
  const up = dirname(path);
  return up === path ? path : join(await realTarget(up), basename(path));
};

const refused = (message: string): ReadSettings => ({ ok: false, message });

/**
 * Reads a file that is to be changed. A file of a project is refused when a link leads out of the project: another
 * author may have put it there, and its target is not the project's.
 */
export const readSettingsText = async (file: string, mustStayIn?: string): Promise<ReadSettings> => {
  try {
    const target = await realTarget(file);
    const link = await lstat(file).catch(unlessMissing);
    if (link?.isSymbolicLink() && (await stat(file).catch(unlessMissing)) === undefined) {
      return refused('is a symbolic link that leads nowhere; put a file in its place');
    }
    if (mustStayIn !== undefined && within(await realTarget(mustStayIn), target) === undefined) {
      return refused(`leads out of the project, to ${target}; put the file itself there, not a link`);
    }
    const found = readRegular(target, { maxBytes: MAX_BYTES });
    if ('missing' in found) return { ok: true, read: { file, target } };
    if ('trouble' in found) return refused(found.trouble);
    const { bytes, stats } = found;
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes)) return refused('is not UTF-8; store it as UTF-8 first');
    return { ok: true, read: { file, target, text, mode: stats.mode & 0o777 } };
  } catch (error) {
    return refused(`cannot be read: ${describeThrown(error)}`);
  }
};
