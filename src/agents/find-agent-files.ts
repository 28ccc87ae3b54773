// Finds and reads the hooks files of an agent: its own, those of its plugins, and those named by the caller.
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type FileOwnership, isRecord } from '../kit/index.ts';
import { isWithin, listNames, readRegularFile, toPathWithin } from '../kit/node.ts';
import { isAtLeast } from './agent-version.ts';
import { findPlugins } from './find-plugins.ts';
import { createWarning } from './reading/entry.ts';
import { parseToml, parseWithPositions } from './reading/parse-file.ts';
import type { AgentFileText, DialectProblem } from './reading/read-file.ts';
import type { FileRule, Platform } from './rule-types.ts';
import type { AgentRules, DialectMode } from './rules.ts';

export interface SearchLocations {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
  readonly lastTexts?: LastTexts | undefined;
}

export type LastTexts = Map<string, Extract<FileText, { text: string }>>;

/** Settings that people write are far smaller. */
const MAX_SETTINGS_BYTES = 1_048_576;

const fillVariables = (template: string, { home, projectDir, env }: SearchLocations): string =>
  template
    .replaceAll(/\{([A-Z][A-Z0-9_]*)\|((?:\{home\})?[^}]*)\}/g, (_match, name: string, otherwise: string) => {
      const value = env[name];
      return value === undefined || value === '' ? otherwise : value;
    })
    .replaceAll('{home}', home)
    .replaceAll('{project}', projectDir);

const listDirectoriesUpTo = (cwd: string, projectDir: string): string[] => {
  const parts = toPathWithin(projectDir, resolve(cwd))?.split('/') ?? [];
  return [projectDir, ...parts.map((_part, index) => join(projectDir, ...parts.slice(0, index + 1)))];
};

export const resolvePaths = ({ path }: FileRule, surroundings: SearchLocations): string[] => {
  const { cwd, projectDir, platform } = surroundings;
  const template = typeof path === 'string' ? path : path[platform];
  if (template === undefined) return [];
  const starts = template.startsWith('{cwd+}') ? listDirectoriesUpTo(cwd, projectDir) : [''];
  return starts.map((start) => resolve(cwd, fillVariables(template.replace('{cwd+}', start), surroundings)));
};

const expandPattern = (path: string): string[] => {
  if (!basename(path).startsWith('*.')) return [path];
  const ending = basename(path).slice(1);
  return listNames(dirname(path))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(dirname(path), name));
};

export interface AgentFile extends AgentFileText {
  readonly realPath: string;
  readonly stats: FileOwnership;
  readonly of?: string | undefined;
}

export interface AgentFiles {
  readonly files: readonly AgentFile[];
  readonly problems: readonly DialectProblem[];
  /** All files that plugins may depend on, also of disabled ones, and `*` in each directory that may hold more. */
  readonly pluginPaths: readonly string[];
  readonly unread: readonly UnreadFile[];
}

export interface UnreadFile extends Pick<AgentFileText, 'path' | 'scope' | 'plugin'> {
  readonly line: number;
  readonly message: string;
}

export type FileText =
  | { readonly text: string; readonly stats: FileOwnership }
  | { readonly missing: true }
  | { readonly trouble: string };

export const readTextFile = (path: string): FileText => {
  const found = readRegularFile(path, { maxBytes: MAX_SETTINGS_BYTES });
  return 'bytes' in found ? { text: found.bytes.toString('utf8'), stats: found.stats } : found;
};

export const KEPT_TEXT_NOTE = '; what was read before from this file stays in use';

export const createUnreadableProblem = (path: string, trouble: string, stays = false): DialectProblem => ({
  ...createWarning(
    { file: path },
    `the file ${trouble}${stays ? KEPT_TEXT_NOTE : ''}`,
    'put a regular file of settings there, or take it away',
  ),
  severity: 'error',
  isUnreadable: true,
});

const resolveRealPath = (path: string): Promise<string> => realpath(path).catch(() => path);

const reportDecoys = ({ decoys = [], title }: AgentRules, place: SearchLocations): DialectProblem[] =>
  decoys
    .flatMap(({ path, fix }) => resolvePaths({ scope: 'project', path }, place).map((file) => ({ file, fix })))
    .filter(({ file }) => 'text' in readTextFile(file))
    .map(({ file, fix }) => {
      const message = `${title} never reads this file; its hooks do not run`;
      return { ...createWarning({ file }, message, fix), isSilentThere: true };
    });

/** Collects a file that cannot be read with its last known text. */
class FileCollector {
  readonly files: AgentFile[] = [];
  readonly problems: DialectProblem[] = [];
  readonly unread: UnreadFile[] = [];
  readonly #lastTexts: LastTexts | undefined;

  constructor({ lastTexts }: SearchLocations) {
    this.#lastTexts = lastTexts;
  }

  async add(
    path: string,
    describe: (
      realPath: string,
    ) => Pick<AgentFile, 'scope' | 'form' | 'of' | 'plugin'> & { readonly isAtHome: boolean },
  ): Promise<void> {
    const now = readTextFile(path);
    if ('missing' in now) {
      this.#lastTexts?.delete(path);
      return;
    }
    const realPath = await resolveRealPath(path);
    const { isAtHome, ...described } = describe(realPath);
    const { scope, plugin } = described;
    const found = 'text' in now ? now : this.#lastTexts?.get(path);
    if ('trouble' in now) this.problems.push(createUnreadableProblem(path, now.trouble, found !== undefined));
    if (found === undefined)
      this.unread.push({ path, scope, plugin, line: 1, message: 'trouble' in now ? now.trouble : '' });
    else
      this.files.push({ path, ...described, ...found, realPath, ...(isAtHome ? {} : { realPathOutside: realPath }) });
  }
}

export const findAgentFiles = async (
  dialect: AgentRules,
  place: SearchLocations,
  version: string = dialect.latest,
  mode: DialectMode = 'faithful',
): Promise<AgentFiles> => {
  const found = new FileCollector(place);
  const seen = new Set<string>();
  const projectDir = await resolveRealPath(place.projectDir);
  // In the home directory or above it, all files belong to the user: there is no project.
  const hasProject = !isWithin(projectDir, await resolveRealPath(place.home));
  const isInProject = (path: string): boolean => toPathWithin(projectDir, resolve(path)) !== undefined;
  for (const { scope: written, form = 'settings', since, of, path: pattern } of dialect.files) {
    if (since !== undefined && !isAtLeast(version, since)) continue;
    for (const path of resolvePaths({ scope: written, path: pattern }, place).flatMap(expandPattern)) {
      if (seen.has(path)) continue;
      seen.add(path);
      await found.add(path, (realPath) => {
        // A file inside the project is the project's, even if a variable of the environment named its path.
        const scope = hasProject && [path, realPath].some(isInProject) ? 'project' : written;
        return { scope, form, of, isAtHome: scope !== 'project' || toPathWithin(projectDir, realPath) !== undefined };
      });
    }
  }
  found.problems.push(...reportDecoys(dialect, place));
  const pluginPaths = await addPluginFiles(dialect, found, place, mode);
  const { files, problems, unread } = found;
  return { files, problems, unread, pluginPaths };
};

const addPluginFiles = async (
  { plugins: rule, title, forms }: AgentRules,
  found: FileCollector,
  place: SearchLocations,
  mode: DialectMode,
): Promise<readonly string[]> => {
  if (rule === undefined) return [];
  const settings = found.files.map(({ path, scope, form, text }) => {
    const { syntax = 'json' } = forms[form] ?? {};
    // Parsing takes time, and most files do not mention plugins.
    const { root } = !/plugin|extension/i.test(text)
      ? { root: {} }
      : syntax === 'toml'
        ? parseToml(text)
        : parseWithPositions(text, syntax);
    return { path, scope, form, root: isRecord(root) ? root : {} };
  });
  const { projectDir, cwd } = place;
  const fill = (template: string): string => fillVariables(template, place);
  const { plugins, problems, paths } = await findPlugins({ rule, title, mode, projectDir, cwd, fill, settings });
  found.problems.push(...problems);
  for (const plugin of plugins) {
    const root = await resolveRealPath(plugin.root);
    for (const path of plugin.files)
      await found.add(path, (realPath) => ({
        scope: plugin.scope,
        form: rule.form ?? 'settings',
        plugin,
        isAtHome: toPathWithin(root, realPath) !== undefined,
      }));
  }
  return paths;
};

/** Files that the caller names are read like files of the project. */
export const readNamedAgentFiles = (
  dialect: AgentRules,
  paths: readonly string[],
): { readonly files: readonly AgentFileText[]; readonly problems: readonly DialectProblem[] } => {
  const files: AgentFileText[] = [];
  const problems: DialectProblem[] = [];
  for (const path of paths) {
    const found = readTextFile(path);
    const isFormOf = (rule: FileRule): boolean => {
      const tail = typeof rule.path === 'string' ? rule.path.replace(/^.*\}/, '') : '';
      return tail !== '' && path.replaceAll(sep, '/').endsWith(tail.replace('*', basename(path, '.json')));
    };
    const form = dialect.files.find(isFormOf)?.form ?? 'settings';
    if ('text' in found) files.push({ path, scope: 'project', form, text: found.text });
    else problems.push(createUnreadableProblem(path, 'trouble' in found ? found.trouble : 'does not exist'));
  }
  return { files, problems };
};

export const toPlatform = (platform: string): Platform =>
  platform === 'darwin' || platform === 'win32' ? platform : 'linux';

/** The nearest parent directory that is a repository or has a file of the agent; else the working directory. */
const findProjectDir = async (cwd: string, home: string, dialect: AgentRules): Promise<string> => {
  const heads = dialect.files.flatMap(({ path, scope }) =>
    scope === 'project' && typeof path === 'string' ? [path.split('/')[1] ?? ''] : [],
  );
  for (let at = cwd; ; at = dirname(at)) {
    for (const name of ['.git', ...heads]) {
      const found = at === home && name !== '.git' ? undefined : await realpath(join(at, name)).catch(() => undefined);
      if (found !== undefined) return at;
    }
    if (dirname(at) === at) return cwd;
  }
};

export const findSearchLocations = async (
  dialect: AgentRules,
  { cwd, home, env }: Pick<SearchLocations, 'cwd' | 'home' | 'env'>,
): Promise<SearchLocations> => ({
  projectDir: await findProjectDir(cwd, home, dialect),
  cwd,
  home,
  env,
  platform: toPlatform(process.platform),
});
