/** Changes settings files so that `undo` can revert the changes. */
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../kit/node.ts';
import {
  changeFile,
  type FileChangeOptions,
  hashText,
  type NewContent,
  type SettingsChange,
  type SettingsFile,
  type SettingsFileChange,
} from './change-file.ts';
import type { EditResult } from './edit-text.ts';

export interface SettingsEdit {
  readonly verb: string;
  readonly name: string;
  /** The verb of a change that this edit reverts, if it was the last change and the file is unchanged since. */
  readonly opposite?: string | undefined;
  readonly made?: readonly { readonly path: string; readonly text: string }[] | undefined;
  /** Whether the trust store listed the hook as switched off. Undoing the change restores this. */
  readonly wasOff?: boolean | undefined;
  readonly edit: (text: string) => EditResult;
}

/** What a file that does not exist is edited as. */
export const EMPTY_SETTINGS = '{}\n';

const createUndoEntry = (
  { verb, name, made = [], wasOff }: Pick<SettingsEdit, 'verb' | 'name' | 'made' | 'wasOff'>,
  before: string | undefined,
  after: string | undefined,
): SettingsChange => ({
  at: new Date().toISOString(),
  verb,
  name,
  before,
  after: hashText(after),
  wasOff,
  made: made.length === 0 ? undefined : made.map(({ path, text }) => ({ path, sha256: sha256(text) })),
});

const refuseChange = (message: string, hint?: string): NewContent => ({ ok: false, problem: { message, hint } });

export const changeSettings = (
  file: SettingsFile,
  options: FileChangeOptions,
  wish: SettingsEdit,
): Promise<SettingsFileChange> =>
  changeFile(file, options, (text, changes) => {
    const last = changes.at(-1);
    const takesBack = last !== undefined && last.verb === wish.opposite && last.name === wish.name;
    const become = (after: string | undefined): NewContent => ({
      ok: true,
      text: after,
      changes: [...changes, createUndoEntry(wish, text, after)],
    });
    if (takesBack && last.after === hashText(text)) return become(last.before);
    const edited = wish.edit(text ?? EMPTY_SETTINGS);
    if (!edited.ok) return edited;
    return become(text === undefined && edited.text === EMPTY_SETTINGS ? undefined : edited.text);
  });

export const undoChange = (
  file: SettingsFile,
  options: FileChangeOptions,
  meant?: SettingsChange,
): Promise<SettingsFileChange> =>
  changeFile(file, options, (text, changes) => {
    const last = changes.at(-1);
    if (last === undefined) return refuseChange('hookwright has no record of a change to this file');
    const { verb, name, after } = last;
    if (meant !== undefined && !isDeepStrictEqual(meant, last))
      return refuseChange(`${verb} ${name} happened since; nothing was changed`, 'run it again');
    if (after !== hashText(text)) {
      const message = `changed since hookwright's last change to it (${verb} ${name}); it was left as it is`;
      return refuseChange(message, 'take it back by hand');
    }
    return { ok: true, text: last.before, changes: changes.slice(0, -1) };
  });

export const createSettingsFile = (
  file: SettingsFile,
  options: FileChangeOptions,
  { text: wanted, ...done }: Pick<SettingsEdit, 'verb' | 'name' | 'made'> & { readonly text: string },
): Promise<SettingsFileChange> =>
  changeFile(file, options, (text, changes) => {
    if (text !== undefined)
      return refuseChange('already exists and was left as it is', 'hookwright new <name> adds a hook to it');
    return { ok: true, text: wanted, changes: [...changes, createUndoEntry(done, undefined, wanted)] };
  });
