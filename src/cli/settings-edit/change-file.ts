/** Changes a settings file under a lock, and logs the change for `undo`. */
import { lstat, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { HookwrightError } from '../../errors.ts';
import { describeThrown, once } from '../../kit/index.ts';
import {
  ensureDirectory,
  isMissingFileError,
  readPrivateJson,
  readRegularFile,
  replaceWholeFile,
  sha256,
  toPathWithin,
  writePrivateFile,
} from '../../kit/node.ts';
import { MAX_LOCK_WAIT_MS, withLockFile } from '../../trust/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { findRealTarget } from '../sources/sessions.ts';

export interface SettingsFile {
  readonly path: string;
  /** A link that leads out of this directory is refused. Absent for settings of the user. */
  readonly mustStayIn?: string | undefined;
}

export interface FileChangeOptions {
  readonly home: string;
  readonly dryRun: boolean;
}

export type SettingsFileChange =
  | {
      readonly ok: true;
      readonly file: string;
      readonly before: string | undefined;
      readonly after: string | undefined;
    }
  | { readonly ok: false; readonly problem: CliProblem };

type ChangeProblem = Pick<CliProblem, 'message' | 'line' | 'column' | 'hint'>;

/** The new text of a file, and the changes that `undo` can then revert. */
export type NewContent =
  | { readonly ok: true; readonly text: string | undefined; readonly changes: readonly SettingsChange[] }
  | { readonly ok: false; readonly problem: ChangeProblem };

const createFailedChange = (file: string, problem: ChangeProblem): SettingsFileChange => ({
  ok: false,
  problem: { severity: 'error', file, ...problem },
});

export const changeFile = async (
  { path, mustStayIn }: SettingsFile,
  { home, dryRun }: FileChangeOptions,
  decide: (text: string | undefined, changes: readonly SettingsChange[]) => NewContent,
): Promise<SettingsFileChange> => {
  const log = new UndoLog(home);
  const alter = async (): Promise<SettingsFileChange> => {
    const found = await readSettingsText(path, mustStayIn);
    if (!found.ok) return createFailedChange(path, { message: found.message });
    const { target, text } = found.read;
    const changes = await log.changesOf(target);
    const next = decide(text, changes);
    if (!next.ok) return createFailedChange(path, next.problem);
    if (!dryRun && next.text !== text) {
      // The log first: a change that `undo` could not revert is not made.
      await log.writeChanges(target, next.changes);
      try {
        await (next.text === undefined ? removeFile(found.read) : replaceFile(found.read, next.text));
      } catch (error) {
        await log.writeChanges(target, changes);
        throw error;
      }
    }
    return { ok: true, file: path, before: text, after: next.text };
  };
  const first = dryRun ? undefined : await readSettingsText(path, mustStayIn);
  try {
    return first?.ok === true ? await log.withLock(first.read.target, alter) : await alter();
  } catch (error) {
    if (HookwrightError.is(error) && error.code === 'invalid_config')
      return createFailedChange(path, { message: error.message });
    throw error;
  }
};

interface SettingsText {
  readonly file: string;
  readonly target: string;
  readonly text?: string | undefined;
  readonly mode?: number | undefined;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

type SettingsReadResult =
  | { readonly ok: true; readonly read: SettingsText }
  | { readonly ok: false; readonly message: string };

const MAX_SETTINGS_BYTES = 4 * 1_048_576;

const ignoreMissingFile = (error: unknown): undefined => {
  if (isMissingFileError(error)) return undefined;
  throw error;
};

const createReadFailure = (message: string): SettingsReadResult => ({ ok: false, message });

export const readSettingsText = async (file: string, mustStayIn?: string): Promise<SettingsReadResult> => {
  try {
    const target = findRealTarget(file);
    const link = await lstat(file).catch(ignoreMissingFile);
    if (link?.isSymbolicLink() && (await stat(file).catch(ignoreMissingFile)) === undefined) {
      return createReadFailure('is a symbolic link that leads nowhere; put a file in its place');
    }
    if (mustStayIn !== undefined && toPathWithin(findRealTarget(mustStayIn), target) === undefined) {
      return createReadFailure(`leads out of the project, to ${target}; put the file itself there, not a link`);
    }
    const found = readRegularFile(target, { maxBytes: MAX_SETTINGS_BYTES });
    if ('missing' in found) return { ok: true, read: { file, target } };
    if ('trouble' in found) return createReadFailure(found.trouble);
    const { bytes, stats } = found;
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes)) return createReadFailure('is not UTF-8; store it as UTF-8 first');
    const { mode, uid, gid } = stats;
    return { ok: true, read: { file, target, text, mode: mode & 0o777, owner: { uid, gid } } };
  } catch (error) {
    return createReadFailure(`cannot be read: ${describeThrown(error)}`);
  }
};

export const readTextNow = (target: string): string | undefined => {
  const found = readRegularFile(target, { maxBytes: MAX_SETTINGS_BYTES });
  return 'bytes' in found ? found.bytes.toString('utf8') : undefined;
};

const createWriteError = (file: string, why: string, cause?: unknown): HookwrightError =>
  new HookwrightError('invalid_config', `${file} ${why}`, { details: { file }, cause });

/** Replaces the file atomically if it still has the text that was read. Its mode, owner and the links to it stay. */
export const replaceFile = async (
  { file, target, text: before, mode, owner }: SettingsText,
  text: string,
): Promise<void> => {
  const check = async (): Promise<void> => {
    if (readTextNow(target) !== before)
      throw createWriteError(file, 'changed in the meantime; nothing was written, run it again');
  };
  try {
    await mkdir(dirname(target), { recursive: true });
    await replaceWholeFile({ path: target, text, mode: mode ?? 0o644, exactMode: mode !== undefined, owner, check });
  } catch (error) {
    if (HookwrightError.is(error)) throw error;
    throw createWriteError(file, `could not be written: ${describeThrown(error)}`, error);
  }
};

const removeFile = async ({ file, target, text }: SettingsText): Promise<void> => {
  if (readTextNow(target) !== text) throw createWriteError(file, 'changed in the meantime; it stays, run it again');
  try {
    await rm(target);
  } catch (error) {
    throw createWriteError(file, `could not be removed: ${describeThrown(error)}`, error);
  }
};

const changeSchema = once(() =>
  z.object({
    at: z.string(),
    verb: z.string(),
    name: z.string(),
    before: z.optional(z.string()),
    /** The hash of the new text, because only an unchanged file can be undone. Absent if the file was removed. */
    after: z.optional(z.string()),
    wasOff: z.optional(z.boolean()),
    made: z.optional(z.array(z.object({ path: z.string(), sha256: z.string() }))),
  }),
);

const logSchema = once(() => z.object({ version: z.literal(1), file: z.string(), changes: z.array(changeSchema()) }));

export type SettingsChange = z.infer<ReturnType<typeof changeSchema>>;

const MAX_LOGGED_CHANGES = 20;
const MAX_LOG_BYTES = 8 * 1_048_576;

/** The log is in the user's home, because a project must not be able to forge an earlier text of a file. */
export class UndoLog {
  readonly #directories: readonly string[];

  constructor(home: string) {
    const own = join(home, '.hookwright');
    this.#directories = [own, join(own, 'undo')];
  }

  #pathOf(target: string, ending: string): string {
    return join(this.#directories[1] ?? '', `${sha256(target).slice(0, 32)}.${ending}`);
  }

  async withLock<T>(target: string, work: () => Promise<T>): Promise<T> {
    for (const directory of this.#directories) await ensureDirectory(directory);
    return withLockFile(this.#pathOf(target, 'lock'), MAX_LOCK_WAIT_MS, work);
  }

  async changesOf(target: string): Promise<readonly SettingsChange[]> {
    const { value } = readPrivateJson(this.#pathOf(target, 'json'), { maxBytes: MAX_LOG_BYTES, private: true });
    const checked = logSchema().safeParse(value);
    return checked.success && checked.data.file === target ? checked.data.changes : [];
  }

  async writeChanges(target: string, changes: readonly SettingsChange[]): Promise<void> {
    let kept = changes.slice(-MAX_LOGGED_CHANGES);
    const logText = (): string => `${JSON.stringify({ version: 1, file: target, changes: kept }, undefined, 2)}\n`;
    while (kept.length > 1 && Buffer.byteLength(logText()) > MAX_LOG_BYTES) kept = kept.slice(1);
    await writePrivateFile(this.#pathOf(target, 'json'), logText(), 0o600);
  }
}

export const hashText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : sha256(text);
