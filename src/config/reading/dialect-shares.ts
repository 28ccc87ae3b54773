import type { DialectFile, DialectHook, DialectOptions } from '../../dialects/load.ts';
import { type ConfigProblem, placeAt, type SettingsSheet } from '../../protocol/index.ts';
import { HookIds, readHooks } from '../../registry/index.ts';
import type { SourceFile } from './files.ts';
import type { Share } from './gather.ts';

export interface DialectSurroundings {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DialectShares {
  readonly shares: readonly Share[];
  readonly problems: readonly ConfigProblem[];
  /** Files that are there, and where others may appear. */
  readonly paths: readonly string[];
}

const sheetOf = ({ path, off, title }: DialectFile): SettingsSheet =>
  off === undefined
    ? { file: path }
    : { file: path, barriers: ['hooks-disabled'], hint: `${title} runs no hook of this file: ${off}.` };

const place = (hook: DialectHook, sheet: SettingsSheet) => {
  const { path, line, column, flaw, dialect } = hook;
  return {
    sheet,
    path,
    dialect,
    positionOf: () => ({ file: sheet.file, line, column }),
    ...(flaw === undefined ? {} : { flaw }),
  };
};

/** The hooks of a file, each in a group of its own, with its place in the file. */
const hooksOf = (file: DialectFile): Record<string, unknown> => {
  const sheet = sheetOf(file);
  const events: Record<string, unknown[]> = {};
  for (const hook of file.hooks) {
    const { event, matcher, sequential, config } = hook;
    const list = events[event] ?? [];
    const group = { ...(matcher === undefined ? {} : { matcher }), ...(sequential ? { sequential } : {}) };
    list.push(placeAt({ ...group, hooks: [placeAt({ ...config }, place(hook, sheet))] }, place(hook, sheet)));
    events[event] = list;
  }
  return events;
};

const shareOf = (file: DialectFile, projectDir: string): Share => {
  const { path, scope, off } = file;
  const source: SourceFile = {
    path,
    scope,
    family: 'dialect',
    owner: scope,
    ...(scope === 'project' ? { mustStayIn: projectDir } : {}),
  };
  const hooks = hooksOf(file);
  const { hooks: rows, problems } = readHooks(hooks, { source: scope, barriers: [] }, new HookIds());
  return { file: source, hooks, rows, problems, isOn: off === undefined };
};

const problemsOf = ({ problems, scope }: DialectFile): ConfigProblem[] =>
  problems.map(({ severity, file, path, line, column, message, fix, isSilentThere }) => ({
    code: 'dialect',
    severity,
    skipped: severity === 'error',
    path,
    source: scope,
    message: isSilentThere === true && severity === 'error' ? `${message} (its agent says nothing about it)` : message,
    file,
    line,
    column,
    ...(fix === undefined ? {} : { hint: fix }),
  }));

/** The hooks of other agents, read the way their agents do. What reads them is loaded only when somebody asks for it. */
export const dialectShares = async (
  options: DialectOptions,
  { cwd, home, projectDir, env }: DialectSurroundings,
): Promise<DialectShares> => {
  const { loadDialects, platformOf } = await import('../../dialects/load.ts');
  const surroundings = { cwd, home, projectDir, env, platform: platformOf(process.platform) };
  const { files, paths } = await loadDialects(options, surroundings);
  return {
    shares: files.map((file) => shareOf(file, projectDir)),
    problems: files.flatMap(problemsOf),
    paths: [...new Set(paths)],
  };
};

/** What a project of these agents has at its top. */
export const dialectMarks = async ({ dialects }: DialectOptions): Promise<readonly string[]> => {
  const { projectMarks } = await import('../../dialects/load.ts');
  return projectMarks(dialects);
};
