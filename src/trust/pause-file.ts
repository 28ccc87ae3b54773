/** The file by which the user pauses all hooks for a while. */
import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { isRecord } from '../kit/index.ts';
import { checkDirectoryNow, ensureDirectory, readPrivateJson, writePrivateFile } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { END_PAUSE, pausedUntil } from '../registry/index.ts';

const MAX_BYTES = 4_096;

/** For longer times, users set `hooksConfig.enabled`. */
export const MAX_PAUSE_MS = 24 * 3_600_000;

/** The end of the pause in milliseconds since 1970, or why the file is ignored. */
export type Pause =
  | { readonly until?: number; readonly trouble?: undefined }
  | { readonly until?: undefined; readonly trouble: string };

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
  // A relative home would lead into the working directory, whose files belong to a repository.
  if (!isAbsolute(path)) return {};
  const { value, missing, trouble } = readPrivateJson(path, { maxBytes: MAX_BYTES, private: true });
  if (missing) return {};
  const ignored = (why: string): Pause => ({ trouble: `hooks stay on: ${why}; hookwright enable --all removes it` });
  if (trouble !== undefined) return ignored(trouble);
  const directory = checkDirectoryNow(directoryOf(home), 'private');
  if (directory !== 'usable') return ignored(directory === 'missing' ? `${path} is gone` : directory.trouble);
  const until = untilIn(value);
  if (until === undefined) return ignored(`${path} does not say until when hooks are off`);
  if (until > now + MAX_PAUSE_MS) return ignored(`${path} says more than 24 hours`);
  return until > now ? { until } : {};
};

/** Pauses all hooks until a time; a time in the past ends the pause. */
export const writePause = async (home: string, until: number): Promise<void> => {
  const path = pauseFile(home);
  if (!isAbsolute(path)) {
    throw new HookwrightError('invalid_config', `${path} is not absolute; set HOME to the full path of a directory`);
  }
  await ensureDirectory(directoryOf(home));
  await writePrivateFile(path, `${JSON.stringify({ version: 1, until: new Date(until).toISOString() })}\n`, 0o600);
};

/** The minimum time between two checks of the file; too short to be noticed. */
const EVERY_MS = 100;

/** Follows the pause at every event: checks the file at intervals and reads it only if it changed. */
export class PauseSwitch {
  readonly #home: string;
  readonly #file: string;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #mark: string | undefined;
  #pause: Pause = {};

  constructor(home: string) {
    this.#home = home;
    this.#file = pauseFile(home);
  }

  /** The current pause; an expired one is ignored. */
  get pause(): Pause {
    if (performance.now() - this.#lookedAt >= EVERY_MS) this.#look();
    const { until } = this.#pause;
    return until === undefined || until > Date.now() ? this.#pause : {};
  }

  /** Reads the file now, even if it seems unchanged. */
  refresh(): void {
    this.#mark = this.#markNow();
    this.#lookedAt = performance.now();
    this.#pause = readPause(this.#home);
  }

  #look(): void {
    this.#lookedAt = performance.now();
    if (this.#markNow() !== this.#mark) this.refresh();
  }

  /** Changes when the file is written, replaced or gets other permissions; `undefined` without a file. */
  #markNow(): string | undefined {
    try {
      const stats = statSync(this.#file, { throwIfNoEntry: false });
      return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    } catch {
      // Reading the file reports the error.
      return `${this.#lookedAt}`;
    }
  }
}

/** Warns while hooks are paused, and about a pause that is ignored. */
export const pauseProblems = (home: string, pause: Pause): readonly ConfigProblem[] => {
  const base = { severity: 'warning', path: '', source: ConfigSource.User, file: pauseFile(home) } as const;
  if (pause.trouble !== undefined) {
    return [{ ...base, code: 'unreadable-file', skipped: false, message: pause.trouble, hint: END_PAUSE }];
  }
  const { until } = pause;
  if (until === undefined || until <= Date.now()) return [];
  return [{ ...base, code: 'hooks-disabled', skipped: true, message: pausedUntil(until), hint: END_PAUSE }];
};
