import type { LoadedConfig } from '../../settings/index.ts';
import type { SettingsFile } from '../settings-edit/alter-file.ts';
import { type ListPath, listIn } from '../settings-edit/edit-text.ts';
import { readSettingsText } from '../settings-edit/settings-text.ts';

/** Where names that are switched off stand; older files have them beside the events. */
export const DISABLED = ['hooksConfig', 'disabled'] as const satisfies ListPath;
const listPaths: readonly ListPath[] = [DISABLED, ['hooks', 'disabled']];

/** A list that names switched-off hooks. */
export interface DisabledList {
  readonly file: SettingsFile;
  readonly path: ListPath;
  readonly names: readonly string[];
}

/** All such lists of these files. What cannot be read has none: the settings themselves are checked elsewhere. */
export const disabledLists = async (files: readonly SettingsFile[]): Promise<DisabledList[]> => {
  const lists = files.map(async (file): Promise<DisabledList[]> => {
    const found = await readSettingsText(file.path, file.mustStayIn);
    const text = found.ok ? found.read.text : undefined;
    if (text === undefined) return [];
    return listPaths.map((path) => ({ file, path, names: listIn(text, path) })).filter(({ names }) => names.length > 0);
  });
  return (await Promise.all(lists)).flat();
};

/** The files that switch a name off, writable or not. */
export const filesThatDisable = async (name: string, config: LoadedConfig): Promise<string[]> => {
  const files = config
    .getFiles()
    .filter(({ kind, exists, path }) => kind === 'file' && exists && !path.endsWith('hooks.json'));
  const lists = await disabledLists(files.map(({ path }) => ({ path })));
  return [...new Set(lists.filter(({ names }) => names.includes(name)).map(({ file }) => file.path))];
};
