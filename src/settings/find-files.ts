/** Lists the possible settings files of a working directory, and finds the project directory. */
import { readdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown } from '../kit/index.ts';
import { isMissingFileError } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource, type NoticeCode } from '../protocol/index.ts';
import type { ConfigFile, FileFormat, FileOwner, SourceFile } from './source-file.ts';

export interface FindFilesOptions {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly outer: readonly string[];
  /** In the home directory the settings of project and user are the same file, which is read as the user's. */
  readonly isHome: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

const settingsFormats: readonly FileFormat[] = ['hookwright', 'gemini'];

/** A repository may contain thousands of extensions; users install fewer than this. */
const maxExtensionsByOwner: Readonly<Record<FileOwner, number>> = { project: 20, user: 200, system: 200 };

const listSettingsFiles = (
  directory: string,
  owner: 'project' | 'user',
  more: Pick<SourceFile, 'mustStayIn' | 'outer'> = {},
): SourceFile[] =>
  settingsFormats.map((family) => ({
    path: join(directory, `.${family}`, 'settings.json'),
    family,
    scope: owner,
    owner,
    ...more,
  }));

const getSystemSettingsPath = ({ platform, env }: FindFilesOptions): string =>
  platform === 'win32'
    ? join(env.ProgramData ?? 'C:\\ProgramData', 'hookwright', 'settings.json')
    : '/etc/hookwright/settings.json';

type ExtensionDirectory = Pick<SourceFile, 'path' | 'family' | 'owner' | 'mustStayIn'>;

const listExtensionDirectories = ({ home, projectDir, isHome }: FindFilesOptions): ExtensionDirectory[] => {
  const ofProject = { family: 'hookwright', owner: 'project', mustStayIn: projectDir } as const;
  return [
    ...settingsFormats.map((family) => ({
      path: join(home, `.${family}`, 'extensions'),
      family,
      owner: 'user' as const,
    })),
    ...(isHome ? [] : [{ path: join(projectDir, '.hookwright', 'extensions'), ...ofProject }]),
  ];
};

const toExtensionProblem = (code: NoticeCode, file: string, message: string): ConfigProblem => ({
  code,
  severity: 'error',
  skipped: true,
  path: '',
  source: ConfigSource.Extensions,
  file,
  message,
});

const findExtensions = ({ path, ...rest }: ExtensionDirectory): Omit<SettingsPaths, 'directories'> => {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    const directories = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    const names = directories.map(({ name }) => name).sort();
    const limit = maxExtensionsByOwner[rest.owner];
    const message = `there are ${names.length} extensions; the first ${limit} by name are read`;
    const files = names.slice(0, limit).map((name) => ({
      ...rest,
      path: join(path, name, 'hooks', 'hooks.json'),
      scope: ConfigSource.Extensions,
      extension: name,
    }));
    return { files, problems: names.length > limit ? [toExtensionProblem('limit-reached', path, message)] : [] };
  } catch (error) {
    if (isMissingFileError(error)) return { files: [], problems: [] };
    return {
      files: [],
      problems: [toExtensionProblem('unreadable-file', path, `the directory cannot be read: ${describeThrown(error)}`)],
    };
  }
};

const toSourceFile = ({ path, scope, extension }: ConfigFile, { cwd, projectDir }: FindFilesOptions): SourceFile => {
  const absolute = resolve(cwd, path);
  const owner = scope === ConfigSource.Extensions ? ConfigSource.User : scope;
  return {
    path: absolute,
    scope,
    family: basename(dirname(absolute)) === '.gemini' ? 'gemini' : 'hookwright',
    owner,
    ...(scope === ConfigSource.Extensions ? { extension: extension ?? basename(dirname(dirname(absolute))) } : {}),
    ...(scope === ConfigSource.Project ? { mustStayIn: projectDir } : {}),
  };
};

export interface SettingsPaths {
  readonly files: readonly SourceFile[];
  readonly directories: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export const findSettingsFiles = (
  surroundings: FindFilesOptions,
  named: readonly ConfigFile[] | undefined,
): SettingsPaths => {
  if (named !== undefined)
    return { files: named.map((file) => toSourceFile(file, surroundings)), directories: [], problems: [] };
  const { home, projectDir, isHome, outer } = surroundings;
  const directories = listExtensionDirectories(surroundings);
  const extensions = directories.map(findExtensions);
  return {
    files: [
      ...(isHome ? [] : listSettingsFiles(projectDir, 'project', { mustStayIn: projectDir })),
      ...outer.flatMap((above) => listSettingsFiles(above, 'project', { mustStayIn: above, outer: above })),
      ...listSettingsFiles(home, 'user'),
      { family: 'hookwright', path: getSystemSettingsPath(surroundings), scope: 'system', owner: 'system' },
      ...extensions.flatMap((found) => found.files),
    ],
    directories: directories.map(({ path }) => path),
    problems: extensions.flatMap((found) => found.problems),
  };
};

const projectMarkers = [join('.hookwright', 'settings.json'), join('.gemini', 'settings.json'), '.git'];

const fileExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns the nearest directory with a marker file, below the home directory; `cwd` if there is none. */
export const findProjectDirectory = async (
  cwd: string,
  homes: readonly string[],
  more: readonly string[] = [],
): Promise<string> => {
  for (let directory = cwd; !homes.includes(directory); directory = dirname(directory)) {
    const found = await Promise.all([...projectMarkers, ...more].map((mark) => fileExists(join(directory, mark))));
    if (found.includes(true)) return directory;
    if (directory === dirname(directory)) break;
  }
  return cwd;
};
