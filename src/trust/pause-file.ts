/** Switching all hooks off for a while: the file that says so, and how it is followed. */
import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { isRecord } from '../kit/index.ts';
import { ensureDirectory, lookAtDirectoryNow, readOwnJson, writeOwnFile } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { END_PAUSE, pausedUntil } from '../registry/index.ts';

const MAX_BYTES = 4_096;

/** Longer than that is no pause: `hooksConfig.enabled` in the settings is for it. */
export const MAX_PAUSE_MS = 24 * 3_600_000;

/** Until when a person switched hooks off, in milliseconds since 1970; or why the file does not count. */
export type Pause =
  | { readonly until?: number; readonly trouble?: undefined }
  | { readonly until?: undefined; readonly trouble: string };

/** The file of the pause, in the home of the user beside the approvals. */
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

/** The shortest time between two looks at the file: too short for a person to notice. */
const EVERY_MS = 100;

/**
 * Whether a person switched hooks off, cheap enough for every event: a look at the file now and then, and a read only if it
 * changed.
 */
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

  /** The pause that holds now; an expired one is ignored. */
  get pause(): Pause {
    if (performance.now() - this.#lookedAt >= EVERY_MS) this.#look();
    const { until } = this.#pause;
    return until === undefined || until > Date.now() ? this.#pause : {};
  }

  /** Reads the file now, whether or not it seems to have changed. */
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
      // Reading the file says why it cannot be looked at.
      return `${this.#lookedAt}`;
    }
  }
}

/** Reports the pause: users have to learn that nothing is checked for a while. */
export const pauseProblems = (home: string, pause: Pause): readonly ConfigProblem[] => {
  const base = { severity: 'warning', path: '', source: ConfigSource.User, file: pauseFile(home) } as const;
  if (pause.trouble !== undefined) {
    return [{ ...base, code: 'unreadable-file', skipped: false, message: pause.trouble, hint: END_PAUSE }];
  }
  const { until } = pause;
  if (until === undefined || until <= Date.now()) return [];
  return [{ ...base, code: 'hooks-disabled', skipped: true, message: pausedUntil(until), hint: END_PAUSE }];
};
