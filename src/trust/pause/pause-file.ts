import { isAbsolute, join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { isRecord } from '../../kit/index.ts';
import { ensureDirectory, lookAtDirectoryNow, readOwnJson, writeOwnFile } from '../../kit/node.ts';

const MAX_BYTES = 4_096;

/** Longer than that is no pause: `hooksConfig.enabled` in the settings is for it. */
export const MAX_PAUSE_MS = 24 * 3_600_000;

/** Until when a person switched hooks off, in milliseconds since 1970; or why what is written there does not count. */
export type Pause =
  | { readonly until?: number; readonly trouble?: undefined }
  | { readonly until?: undefined; readonly trouble: string };

/** The file that says so, in the home of the user beside the approvals. */
export const pauseFile = (home: string): string => join(home, '.hookwright', 'off.json');

const directoryOf = (home: string): string => join(home, '.hookwright');

const untilIn = (value: unknown): number | undefined => {
  if (!isRecord(value) || typeof value.until !== 'string') return undefined;
  const until = Date.parse(value.until);
  return Number.isNaN(until) ? undefined : until;
};

/** An expired pause is ignored, and so is a file that others can write. */
export const readPause = (home: string, now = Date.now()): Pause => {
  const path = pauseFile(home);
  // A relative home would lead into the working directory, where a repository brings what it likes.
  if (!isAbsolute(path)) return {};
  const { value, missing, trouble } = readOwnJson(path, { maxBytes: MAX_BYTES, private: true });
  if (missing) return {};
  const ignored = (why: string): Pause => ({ trouble: `hooks stay on: ${why}; hookwright enable --all removes it` });
  if (trouble !== undefined) return ignored(trouble);
  const directory = lookAtDirectoryNow(directoryOf(home), 'private');
  if (directory !== 'usable') return ignored(directory === 'missing' ? `${path} is gone` : directory.trouble);
  const until = untilIn(value);
  if (until === undefined) return ignored(`${path} does not say until when hooks are off`);
  if (until > now + MAX_PAUSE_MS) return ignored(`${path} says more than 24 hours`);
  return until > now ? { until } : {};
};

/** Switches hooks off until then; a time that is over switches them on again. */
export const writePause = async (home: string, until: number): Promise<void> => {
  const path = pauseFile(home);
  if (!isAbsolute(path)) {
    throw new HookwrightError('invalid_config', `${path} is not absolute; set HOME to the full path of a directory`);
  }
  await ensureDirectory(directoryOf(home));
  await writeOwnFile(path, `${JSON.stringify({ version: 1, until: new Date(until).toISOString() })}\n`, 0o600);
};
