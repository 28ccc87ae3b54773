import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type FileOwnership, isRecord } from '../kit/index.ts';
import { isWithin, readRegular, within } from '../kit/node.ts';
import { isAtLeast } from './agent-version.ts';
import { findPlugins } from './plugins.ts';
import { parseToml, parseWithPositions } from './reading/parse-file.ts';
import type { DialectProblem, ReadFile } from './reading/read-file.ts';
import type { FileRule, Platform } from './rule-types.ts';
import type { AgentRules, DialectMode } from './rules.ts';

export interface SearchLocations {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
  /** What files said when they were last whole, by their paths; it stands in for a file that cannot be read now. */
  readonly lastTexts?: LastTexts | undefined;
}

export type LastTexts = Map<string, Extract<FileText, { text: string }>>;

/** A settings file of a person has no more; what is larger is not looked at. */
const MAX_BYTES = 1_048_576;

const templateOf = ({ path }: FileRule, platform: Platform): string | undefined =>
  typeof path === 'string' ? path : path[platform];

/** `{NAME|default}`: a variable, or what stands for it. */
const fillVariables = (template: string, { home, projectDir, env }: SearchLocations): string =>
  template
    .replaceAll(/\{([A-Z][A-Z0-9_]*)\|((?:\{home\})?[^}]*)\}/g, (_match, name: string, otherwise: string) => {
      const value = env[name];
      return value === undefined || value === '' ? otherwise : value;
    })
    .replaceAll('{home}', home)
    .replaceAll('{project}', projectDir);

/** The project and each directory below it on the way to the working directory. */
const directoriesUpTo = (cwd: string, projectDir: string): string[] => {
  const parts = within(projectDir, resolve(cwd))?.split('/') ?? [];
  return [projectDir, ...parts.map((_part, index) => join(projectDir, ...parts.slice(0, index + 1)))];
};

/** Every path at which a dialect may have a file, there or not. */
export const pathsOf = (rule: FileRule, surroundings: SearchLocations): string[] => {
  const template = templateOf(rule, surroundings.platform);
  if (template === undefined) return [];
  const { cwd, projectDir } = surroundings;
  const starts = template.startsWith('{cwd+}') ? directoriesUpTo(cwd, projectDir) : [''];
  return starts.map((start) => resolve(cwd, fillVariables(template.replace('{cwd+}', start), surroundings)));
};

/** The files of a path that may end in `*.json`. */
const filesAt = async (path: string): Promise<string[]> => {
  if (!basename(path).startsWith('*.')) return [path];
  const ending = basename(path).slice(1);
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(dirname(path), name));
};

/** A file as it was found. */
export interface AgentFile extends ReadFile {
  /** Behind all links. */
  readonly realPath: string;
  readonly stats: FileOwnership;
  /** Whose file it is, where that is another agent. */
  readonly of?: string | undefined;
}

export interface AgentFiles {
  readonly files: readonly AgentFile[];
  /** What lies where a file may be and is not read. */
  readonly problems: readonly DialectProblem[];
  /** Files of plugins, enabled or not. */
  readonly pluginPaths: readonly string[];
  /** Files that are there, and of which neither this text nor an earlier one can be read. */
  readonly unread: readonly UnreadFile[];
}

export interface UnreadFile extends Pick<ReadFile, 'path' | 'scope' | 'plugin'> {
  readonly line: number;
  readonly message: string;
}

export type FileText =
  | { readonly text: string; readonly stats: FileOwnership }
  | { readonly missing: true }
  | { readonly trouble: string };

/** Reads a regular file of a size that a person writes. */
export const textAt = (path: string): FileText => {
  const found = readRegular(path, { maxBytes: MAX_BYTES });
  return 'bytes' in found ? { text: found.bytes.toString('utf8'), stats: found.stats } : found;
};

export const STAYS = '; what was read before from this file stays in use';

export const unreadable = (path: string, trouble: string, stays = false): DialectProblem => ({
  severity: 'error',
  isUnreadable: true,
  file: path,
  path: '',
  message: `the file ${trouble}${stays ? STAYS : ''}`,
  fix: 'put a regular file of settings there, or take it away',
  line: 1,
  column: 1,
});

const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Files that the agent does not read. */
const decoysOf = async (
  { decoys = [], title }: AgentRules,
  surroundings: SearchLocations,
): Promise<DialectProblem[]> => {
  const found = await Promise.all(
    decoys.flatMap(({ path, fix }) =>
      pathsOf({ scope: 'project', path }, surroundings).map(async (file): Promise<DialectProblem[]> => {
        const isThere = 'text' in (await textAt(file));
        const message = `${title} never reads this file; its hooks do not run`;
        const problem = {
          severity: 'warning',
          file,
          path: '',
          message,
          fix,
          isSilentThere: true,
          line: 1,
          column: 1,
        } as const;
        return isThere ? [problem] : [];
      }),
    ),
  );
  return found.flat();
};

/** The files of a dialect that are there, in its order. Nothing in them is run. */
export const findAgentFiles = async (
  dialect: AgentRules,
  surroundings: SearchLocations,
  version: string = dialect.latest,
  mode: DialectMode = 'faithful',
): Promise<AgentFiles> => {
  const files = new Map<string, AgentFile>();
  const problems: DialectProblem[] = [];
  const unread: UnreadFile[] = [];
  const projectDir = await realPathOf(surroundings.projectDir);
  // Who works in the home directory, or above it, has no project apart from what is their own.
  const hasProject = !isWithin(projectDir, await realPathOf(surroundings.home));
  for (const rule of dialect.files) {
    const { scope: written, form = 'settings', since, of } = rule;
    if (since !== undefined && !isAtLeast(version, since)) continue;
    for (const pattern of pathsOf(rule, surroundings)) {
      for (const path of await filesAt(pattern)) {
        if (files.has(path)) continue;
        const now = await textAt(path);
        if ('missing' in now) surroundings.lastTexts?.delete(path);
        if ('missing' in now) continue;
        const realPath = await realPathOf(path);
        // What lies in the project is the project's, by whatever variable it was found.
        const isBrought = hasProject && [path, realPath].some((one) => within(projectDir, resolve(one)) !== undefined);
        const scope = isBrought ? 'project' : written;
        const isAtHome = scope !== 'project' || within(projectDir, realPath) !== undefined;
        const found = 'text' in now ? now : surroundings.lastTexts?.get(path);
        if ('trouble' in now) problems.push(unreadable(path, now.trouble, found !== undefined));
        if (found === undefined) {
          unread.push({ path, scope, line: 1, message: 'trouble' in now ? now.trouble : '' });
          continue;
        }
        files.set(path, { path, scope, form, ...found, realPath, of, ...(isAtHome ? {} : { strayedTo: realPath }) });
      }
    }
  }
  problems.push(...(await decoysOf(dialect, surroundings)));
  const ofPlugins = await filesOfPlugins(dialect, [...files.values()], surroundings, mode);
  return {
    ...ofPlugins,
    files: [...files.values(), ...ofPlugins.files],
    problems: [...problems, ...ofPlugins.problems],
    unread: [...unread, ...ofPlugins.unread],
  };
};

/** The files with hooks that enabled plugins bring. */
const filesOfPlugins = async (
  dialect: AgentRules,
  settings: readonly AgentFile[],
  surroundings: SearchLocations,
  mode: DialectMode,
): Promise<AgentFiles> => {
  const { plugins: rule, title, forms } = dialect;
  if (rule === undefined) return { files: [], problems: [], pluginPaths: [], unread: [] };
  const { projectDir, cwd } = surroundings;
  const read = settings.map(({ path, scope, form, text }) => {
    const { syntax = 'json' } = forms[form] ?? {};
    // Most files say nothing of plugins, and reading one takes time.
    const { root } = !/plugin|extension/i.test(text)
      ? { root: {} }
      : syntax === 'toml'
        ? parseToml(text)
        : parseWithPositions(text, syntax);
    return { path, scope, form, root: isRecord(root) ? root : {} };
  });
  const fill = (template: string): string => fillVariables(template, surroundings);
  const found = await findPlugins({ rule, title, mode, projectDir, cwd, fill, settings: read });
  const problems = [...found.problems];
  const files: AgentFile[] = [];
  const unread: UnreadFile[] = [];
  for (const plugin of found.plugins) {
    const root = await realPathOf(plugin.root);
    for (const path of plugin.files) {
      const now = await textAt(path);
      const realPath = await realPathOf(path);
      const { scope } = plugin;
      if ('missing' in now) continue;
      const text = 'text' in now ? now : surroundings.lastTexts?.get(path);
      if ('trouble' in now) problems.push(unreadable(path, now.trouble, text !== undefined));
      if (text === undefined) {
        unread.push({ path, scope, plugin, line: 1, message: 'trouble' in now ? now.trouble : '' });
        continue;
      }
      const strayed = within(root, realPath) === undefined ? { strayedTo: realPath } : {};
      files.push({ path, scope, form: rule.form ?? 'settings', ...text, realPath, plugin, ...strayed });
    }
  }
  return { files, problems, pluginPaths: found.paths, unread };
};

/** Files that the caller names, as files of the project; the name tells the format of each. */
export const namedAgentFiles = async (
  dialect: AgentRules,
  paths: readonly string[],
): Promise<{ readonly files: readonly ReadFile[]; readonly problems: readonly DialectProblem[] }> => {
  const files: ReadFile[] = [];
  const problems: DialectProblem[] = [];
  for (const path of paths) {
    const found = await textAt(path);
    const isSo = (rule: FileRule): boolean => {
      const tail = typeof rule.path === 'string' ? rule.path.replace(/^.*\}/, '') : '';
      return tail !== '' && path.replaceAll(sep, '/').endsWith(tail.replace('*', basename(path, '.json')));
    };
    const form = dialect.files.find(isSo)?.form ?? 'settings';
    if ('text' in found) files.push({ path, scope: 'project', form, text: found.text });
    else problems.push(unreadable(path, 'trouble' in found ? found.trouble : 'does not exist'));
  }
  return { files, problems };
};

export const platformOf = (platform: string): Platform =>
  platform === 'darwin' || platform === 'win32' ? platform : 'linux';

/** The directory above that is a repository or has a file of the dialect; else the working directory itself. */
const projectOf = async (cwd: string, home: string, dialect: AgentRules): Promise<string> => {
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

/** Where an agent that starts in a directory looks for its files. */
export const surroundingsOf = async (
  dialect: AgentRules,
  { cwd, home, env }: Pick<SearchLocations, 'cwd' | 'home' | 'env'>,
): Promise<SearchLocations> => ({
  projectDir: await projectOf(cwd, home, dialect),
  cwd,
  home,
  env,
  platform: platformOf(process.platform),
});
