/** The settings files that commands may change, and the flags that select a file. */
import { join, sep } from 'node:path';
import type { RowSource } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { defineFlags } from '../arguments/spec.ts';
import type { SettingsFile } from './change-file.ts';

export const writableScopes = ['user', 'project'] as const;
export type WritableScope = (typeof writableScopes)[number];

export interface ScopedFile extends SettingsFile {
  readonly scope: WritableScope;
}

const settingsFolders = ['.hookwright', '.gemini'];

export const listSettingsFiles = (config: LoadedConfig): ScopedFile[] => {
  const projectDir = config.getProjectDir();
  const home = config.getHome();
  const fileIn = (directory: string, family: string): string => join(directory, family, 'settings.json');
  const ofProject = projectDir === home ? [] : settingsFolders;
  return [
    ...ofProject.map((family) => ({
      scope: 'project' as const,
      path: fileIn(projectDir, family),
      mustStayIn: projectDir,
    })),
    ...settingsFolders.map((family) => ({ scope: 'user' as const, path: fileIn(home, family) })),
  ];
};

/** Project settings can switch off only the hooks of the project. */
export const isProjectHook = ({ kind, file }: RowSource, config: LoadedConfig): boolean =>
  kind === 'project' ||
  (kind === 'extensions' && file?.startsWith(join(config.getProjectDir(), '.hookwright') + sep) === true);

export const selectSettingsFile = (
  config: LoadedConfig,
  scope: WritableScope,
  sources: readonly RowSource[] = [],
): ScopedFile | undefined => {
  const candidates = listSettingsFiles(config).filter((file) => file.scope === scope);
  return candidates.find(({ path }) => sources.some(({ file }) => file === path)) ?? candidates[0];
};

export const dryRunFlag = defineFlags({
  'dry-run': { kind: 'switch', summary: 'show the changes, and write nothing' },
});

export const scopeFlag = defineFlags({
  scope: {
    kind: 'text',
    value: 'scope',
    summary: 'the settings to change; default: those that configure the hook',
    choices: writableScopes,
  },
});

export const parseScope = (given: string | undefined): WritableScope | undefined =>
  writableScopes.find((scope) => scope === given);
