/** Reads and writes the file with which the user pauses all hooks for a while. */
import { dirname, isAbsolute, join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { isRecord } from '../kit/index.ts';
import { checkDirectoryNow, ensureDirectory, readPrivateJson, writePrivateFile } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { END_PAUSE_COMMAND, formatPausedUntil } from '../registry/index.ts';
import { readFileStamp } from './file-stamps.ts';

const MAX_PAUSE_FILE_BYTES = 4_096;

export const MAX_PAUSE_MS = 24 * 3_600_000;

export type Pause =
  | { readonly until?: number; readonly trouble?: undefined }
  | { readonly until?: undefined; readonly trouble: string };

export const getPauseFilePath = (home: string): string => join(home, '.hookwright', 'off.json');

const readEndOfPause = (value: unknown): number | undefined => {
  if (!isRecord(value) || typeof value.until !== 'string') return undefined;
  const until = Date.parse(value.until);
  return Number.isNaN(until) ? undefined : until;
};

const ignorePause = (why: string): Pause => ({ trouble: `hooks stay on: ${why}; hookwright enable --all removes it` });

const readPauseFile = (path: string): Pause => {
  // A relative home would lead into the working directory, whose files belong to a repository.
  if (!isAbsolute(path)) return {};
  const { value, missing, trouble } = readPrivateJson(path, { maxBytes: MAX_PAUSE_FILE_BYTES, private: true });
  if (missing) return {};
  if (trouble !== undefined) return ignorePause(trouble);
  const directory = checkDirectoryNow(dirname(path), 'private');
  if (directory !== 'usable') return ignorePause(directory === 'missing' ? `${path} is gone` : directory.trouble);
  const until = readEndOfPause(value);
  return until === undefined ? ignorePause(`${path} does not say until when hooks are off`) : { until };
};

/** Also needed after the file was read: if the clock is set back, the pause would last longer than it may. */
const limitPause = (pause: Pause, path: string): Pause => {
  const { until } = pause;
  if (until === undefined) return pause;
  const leftMs = until - Date.now();
  if (leftMs > MAX_PAUSE_MS) return ignorePause(`${path} says more than 24 hours`);
  return leftMs > 0 ? pause : {};
};

export const readPause = (home: string): Pause => {
  const path = getPauseFilePath(home);
  return limitPause(readPauseFile(path), path);
};

export const writePause = async (home: string, until: number): Promise<void> => {
  const path = getPauseFilePath(home);
  if (!isAbsolute(path)) {
    throw new HookwrightError('invalid_config', `${path} is not absolute; set HOME to the full path of a directory`);
  }
  await ensureDirectory(dirname(path));
  await writePrivateFile(path, `${JSON.stringify({ version: 1, until: new Date(until).toISOString() })}\n`, 0o600);
};

const PAUSE_CHECK_INTERVAL_MS = 100;

/** Returns whether hooks are paused. For speed, checks the file at intervals and reads it only after a change. */
export class PauseSwitch {
  readonly #file: string;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #stamp: string | undefined;
  #pause: Pause = {};

  constructor(home: string) {
    this.#file = getPauseFilePath(home);
  }

  get pause(): Pause {
    if (performance.now() - this.#lookedAt >= PAUSE_CHECK_INTERVAL_MS) {
      this.#lookedAt = performance.now();
      if (readFileStamp(this.#file) !== this.#stamp) this.refresh();
    }
    return limitPause(this.#pause, this.#file);
  }

  refresh(): void {
    this.#stamp = readFileStamp(this.#file);
    this.#lookedAt = performance.now();
    this.#pause = readPauseFile(this.#file);
  }
}

export const pauseProblems = (home: string, pause: Pause): readonly ConfigProblem[] => {
  const base = { severity: 'warning', path: '', source: ConfigSource.User, file: getPauseFilePath(home) } as const;
  if (pause.trouble !== undefined) {
    return [{ ...base, code: 'unreadable-file', skipped: false, message: pause.trouble, hint: END_PAUSE_COMMAND }];
  }
  const { until } = pause;
  if (until === undefined || until <= Date.now()) return [];
  return [
    { ...base, code: 'hooks-disabled', skipped: true, message: formatPausedUntil(until), hint: END_PAUSE_COMMAND },
  ];
};
