import type { DialectFile, DialectHook, DialectMemory, DialectProblem, LastTexts } from '../../agents/engine-api.ts';
import type { DialectOptions, DialectsOption } from '../../agents/index.ts';
import { type ConfigProblem, ConfigSource, placeAt, type SettingsSheet } from '../../protocol/index.ts';
import type { GuardedFile, SourceFile } from '../source-file.ts';
import { whyExposed } from './exposed.ts';
import { EXPOSED, exposedText, type ProgramInProject, type Share, STRAYED, shareOf, strayedText } from './gather.ts';

export interface DialectSurroundings {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programInProject: ProgramInProject;
  readonly lastTexts: LastTexts;
  /** Those that hooks may have. */
  readonly types: readonly string[] | undefined;
}

export interface DialectShares {
  readonly shares: readonly Share[];
  readonly problems: readonly ConfigProblem[];
  /** Files that are there, and where others may appear. */
  readonly paths: readonly string[];
  /** Each file that is there, and what keeps it from being read if nothing of it is known. */
  readonly guarded: readonly GuardedFile[];
}

/** A file, and, for one of the user or the system, why another user may have written it. */
interface LookedAt {
  readonly file: DialectFile;
  readonly exposed: string | undefined;
}

const hintOf = ({ file: { off, isPart, title, strayedTo }, exposed }: LookedAt): string | undefined => {
  if (off !== undefined)
    return isPart === true ? `${title} does not run it: ${off}.` : `${title} runs no hook of this file: ${off}.`;
  if (exposed !== undefined) return EXPOSED;
  return strayedTo === undefined ? undefined : STRAYED;
};

const sheetOf = (looked: LookedAt, programInProject: ProgramInProject): SettingsSheet => {
  const { file, exposed } = looked;
  const { path, off, strayedTo, scope, plugin } = file;
  const isTrusted = strayedTo === undefined && exposed === undefined;
  return {
    file: path,
    barriers: [...(off === undefined ? [] : ['hooks-disabled' as const]), ...(isTrusted ? [] : ['untrusted' as const])],
    hint: hintOf(looked),
    isExposed: exposed !== undefined,
    programInProject: scope === 'project' || plugin !== undefined ? undefined : programInProject,
  };
};

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
const hooksOf = (looked: LookedAt, programInProject: ProgramInProject): Record<string, unknown> => {
  const sheet = sheetOf(looked, programInProject);
  const events: Record<string, unknown[]> = {};
  for (const hook of looked.file.hooks) {
    const { event, matcher, sequential, config } = hook;
    const list = events[event] ?? [];
    const group = { ...(matcher === undefined ? {} : { matcher }), ...(sequential ? { sequential } : {}) };
    // What is approved is the hook, however strictly it is heard.
    const entry = placeAt({ ...config }, { ...place(hook, sheet), written: { recheck: undefined } });
    list.push(placeAt({ ...group, hooks: [entry] }, place(hook, sheet)));
    events[event] = list;
  }
  return events;
};

const sourceFileOf = (
  { path, scope: owner, plugin }: Pick<DialectFile, 'path' | 'scope' | 'plugin'>,
  projectDir: string,
): SourceFile => {
  const scope = plugin === undefined ? owner : ConfigSource.Extensions;
  const extension = plugin === undefined ? undefined : [plugin.id, plugin.version].join(' ').trim();
  const mustStayIn = plugin?.root ?? (owner === 'project' ? projectDir : undefined);
  return { path, scope, extension, family: 'dialect', owner, mustStayIn };
};

const inWords = (problems: readonly DialectProblem[], scope: ConfigSource): ConfigProblem[] =>
  problems.map(({ severity, file, path, line, column, message, fix, isSilentThere, isUnreadable }) => ({
    code: isUnreadable === true ? 'unreadable-file' : 'dialect',
    severity,
    skipped: severity === 'error',
    path,
    source: scope,
    message: isSilentThere === true && severity === 'error' ? `${message} (its agent says nothing about it)` : message,
    ...(file === '' ? {} : { file, line, column }),
    ...(fix === undefined ? {} : { hint: fix }),
  }));

const problemsOf = ({ file: { path, scope, strayedTo, problems }, exposed }: LookedAt): ConfigProblem[] => {
  const base = { path: '', source: scope, file: path };
  return [
    ...(exposed === undefined
      ? []
      : [
          {
            ...base,
            code: 'unreadable-file',
            severity: 'error',
            skipped: true,
            message: exposedText(exposed),
          } as const,
        ]),
    ...(strayedTo === undefined
      ? []
      : [
          { ...base, code: 'untrusted', severity: 'warning', skipped: false, message: strayedText(strayedTo) } as const,
        ]),
    ...inWords(problems, scope),
  ];
};

const lookAt = async (file: DialectFile, home: string): Promise<LookedAt> => ({
  file,
  exposed: file.scope === 'project' ? undefined : await whyExposed(file, home),
});

/** The hooks of other agents, read the way their agents do. Their readers are loaded on first use. */
export const dialectShares = async (
  options: DialectOptions,
  { cwd, home, projectDir, env, programInProject, lastTexts, types }: DialectSurroundings,
  memory: DialectMemory,
): Promise<DialectShares> => {
  const { loadDialects, platformOf } = await import('../../agents/engine-api.ts');
  const surroundings = { cwd, home, projectDir, env, platform: platformOf(process.platform), lastTexts };
  const { files, problems, paths, unread } = await loadDialects(options, surroundings, memory);
  const looked = await Promise.all(files.map((file) => lookAt(file, home)));
  const shares = looked.map((one) => {
    const { file } = one;
    const hooks = hooksOf(one, programInProject);
    return shareOf({ file: sourceFileOf(file, projectDir), hooks, isOn: file.off === undefined }, types);
  });
  const unreadPaths = new Set(unread.map(({ path }) => path));
  const whole = shares.filter(({ file }) => !unreadPaths.has(file.path));
  return {
    shares,
    guarded: [
      ...whole.map(({ file }) => ({ file, exists: true })),
      ...unread.map((one) => ({ file: sourceFileOf(one, projectDir), exists: true, unread: one })),
    ],
    problems: [...looked.flatMap(problemsOf), ...inWords(problems, ConfigSource.Project)],
    paths: [...new Set(paths)],
  };
};

/** Whether hooks of no agent are wanted; the agent that asks runs its own, so that of it nothing has to be known. */
export const wantsNoDialect = (dialects: DialectsOption, askedBy: string | undefined): boolean =>
  Object.entries(dialects).every(([name, wish]) => name === askedBy && wish === false);

/** What a project of these agents has at its top. */
export const dialectMarks = async (
  dialects: DialectsOption,
  askedBy: string | undefined,
): Promise<readonly string[]> => {
  if (wantsNoDialect(dialects, askedBy)) return [];
  const { projectMarks } = await import('../../agents/engine-api.ts');
  return projectMarks(dialects);
};
