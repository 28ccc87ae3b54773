import { HookwrightError } from '../../errors.ts';
import type { CliProblem } from '../command-outcome.ts';
import { removeFile, replaceFile } from './replace-file.ts';
import { readSettingsText, type SettingsText } from './settings-text.ts';
import { type SettingsChange, UndoLog } from './undo-log.ts';

/** A settings file that a command may change. */
export interface SettingsFile {
  readonly path: string;
  /** For files of a project: a link that leads out of this directory is not followed. */
  readonly mustStayIn?: string | undefined;
}

export interface AlterOptions {
  /** Where changes are remembered. */
  readonly home: string;
  readonly dryRun: boolean;
}

/** What became of a file; the same text before and after when there was nothing to do. */
export type Altered =
  | {
      readonly ok: true;
      readonly file: string;
      readonly before: string | undefined;
      readonly after: string | undefined;
    }
  | { readonly ok: false; readonly problem: CliProblem };

/** What a file is to become, and which changes are to be remembered then. */
export type Next =
  | { readonly ok: true; readonly text: string | undefined; readonly changes: readonly SettingsChange[] }
  | { readonly ok: false; readonly problem: Pick<CliProblem, 'message' | 'line' | 'column' | 'hint'> };

export type Decide = (text: string | undefined, changes: readonly SettingsChange[]) => Next;

const failed = (file: string, problem: Pick<CliProblem, 'message' | 'line' | 'column' | 'hint'>): Altered => ({
  ok: false,
  problem: { severity: 'error', file, ...problem },
});

const write = (read: SettingsText, text: string | undefined): Promise<void> =>
  text === undefined ? removeFile(read) : replaceFile(read, text);

/** Changes a file as `decide` says, while no other command of ours does, and remembers how it was. */
export const alterFile = async (
  { path, mustStayIn }: SettingsFile,
  { home, dryRun }: AlterOptions,
  decide: Decide,
): Promise<Altered> => {
  const log = new UndoLog(home);
  const alter = async (): Promise<Altered> => {
    const found = await readSettingsText(path, mustStayIn);
    if (!found.ok) return failed(path, { message: found.message });
    const { target, text } = found.read;
    const next = decide(text, await log.changesOf(target));
    if (!next.ok) return failed(path, next.problem);
    if (!dryRun && next.text !== text) {
      await write(found.read, next.text);
      await log.keep(target, next.changes);
    }
    return { ok: true, file: path, before: text, after: next.text };
  };
  const first = dryRun ? undefined : await readSettingsText(path, mustStayIn);
  try {
    return first?.ok === true ? await log.alone(first.read.target, alter) : await alter();
  } catch (error) {
    // What the file system refuses is an answer, and no fault of ours.
    if (HookwrightError.is(error) && error.code === 'invalid_config') return failed(path, { message: error.message });
    throw error;
  }
};
