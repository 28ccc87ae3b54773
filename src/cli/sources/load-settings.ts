/** Loads the settings of a directory, and warns about misnamed settings files. */
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { findNearestName } from '../../kit/index.ts';
import type { ConfigProblem } from '../../protocol/index.ts';
import { type ConfigFile, type LoadConfigOptions, type LoadedConfig, loadConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';

export interface LoadedSettings {
  readonly config: LoadedConfig;
  readonly problems: readonly CliProblem[];
}

const isUnreadableFile = ({ severity, path, file }: CliProblem & Partial<Pick<ConfigProblem, 'path'>>): boolean =>
  severity === 'error' && path === '' && file !== undefined;

export const loadSettings = async (
  { cwd, env, reportUnreadable }: Pick<Context, 'cwd' | 'env' | 'reportUnreadable'>,
  files?: readonly ConfigFile[],
  more: Pick<
    LoadConfigOptions,
    'sessionId' | 'transcriptPath' | 'eventDir' | 'agents' | 'askedBy' | 'tools' | 'deps'
  > = {},
): Promise<LoadedSettings> => {
  // Commands report problems themselves, so the engine must not log them.
  const deps = { warnings: false, ...more.deps };
  const { config, problems: found } = await loadConfig({ cwd, env, files, ...more, deps });
  const misnamed = files === undefined && more.askedBy === undefined ? await findMisnamedSettings(config) : [];
  const problems = [...found, ...misnamed];
  if (reportUnreadable === undefined) return { config, problems };
  reportUnreadable(problems.filter(isUnreadableFile));
  return { config, problems: problems.filter((problem) => !isUnreadableFile(problem)) };
};

const SETTINGS_NAME = 'settings.json';

const UNREAD_MESSAGE = 'is a file that nothing reads';

export const isMisnamedFileProblem = ({ message }: CliProblem): boolean => message === UNREAD_MESSAGE;

const wrongSettingsNames: readonly string[] = ['hooks.json', 'config.json'];

/** Files with other endings, such as `.bak`, are copies made by editors. */
const settingsEndings: readonly string[] = ['', '.json', '.jsonc', '.json5', '.yaml', '.yml'];

const listFiles = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

const isMeantAsSettings = (name: string): boolean =>
  name !== SETTINGS_NAME &&
  settingsEndings.includes(extname(name)) &&
  (wrongSettingsNames.includes(name) || findNearestName(name, [SETTINGS_NAME]) !== undefined);

const findMisnamedSettings = async (config: LoadedConfig): Promise<CliProblem[]> => {
  const directories = new Set([config.getProjectDir(), config.getHome()].map((place) => join(place, '.hookwright')));
  const found = await Promise.all(
    [...directories].map(async (directory) =>
      (await listFiles(directory)).filter(isMeantAsSettings).map((name): CliProblem => {
        const hint = `did you mean "${SETTINGS_NAME}"?`;
        return { severity: 'warning', file: join(directory, name), message: UNREAD_MESSAGE, hint };
      }),
    ),
  );
  return [...found.flat(), ...(await findMisplacedExtensionHooks([...directories]))];
};

/** The hooks.json of an extension must be inside of its folder `hooks`, not beside the folder. */
const findMisplacedExtensionHooks = async (directories: readonly string[]): Promise<CliProblem[]> => {
  const problems: CliProblem[] = [];
  for (const directory of directories.map((place) => join(place, 'extensions'))) {
    for (const name of await readdir(directory).catch(() => [])) {
      const names = await listFiles(join(directory, name));
      if (!names.includes('hooks.json')) continue;
      const hint = `move it to ${join('hooks', 'hooks.json')} in this extension`;
      problems.push({ severity: 'warning', file: join(directory, name, 'hooks.json'), message: UNREAD_MESSAGE, hint });
    }
  }
  return problems;
};
