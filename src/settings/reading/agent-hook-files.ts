/** Converts hooks from files of other agents to settings files, and reads which agents are enabled. */
import type {
  AgentVariables,
  DialectProblem,
  LastTexts,
  LoadedAgentFile,
  LoadedAgentHook,
} from '../../agents/engine-api.ts';
import type { DialectOptions, DialectsOption } from '../../agents/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import {
  type ConfigProblem,
  ConfigSource,
  type NoticeCode,
  type SettingsSheet,
  withOrigin,
} from '../../protocol/index.ts';
import { readEntries } from '../../registry/index.ts';
import { whyWritableByOthers } from '../../trust/index.ts';
import type { GuardFile, SourceFile } from '../source-file.ts';
import {
  type HookFile,
  hookFileOf,
  OUTSIDE_PROJECT,
  outsideProjectText,
  type ProgramInProject,
  WRITABLE_BY_OTHERS,
  writableByOthersText,
} from './combine-files.ts';
import type { FoundFile } from './file-reader.ts';
import type { SettingsDocument } from './settings-document.ts';

export interface AgentHookFileContext {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programInProject: ProgramInProject;
  readonly lastTexts: LastTexts;
  readonly types: readonly string[] | undefined;
}

export interface AgentHookFiles {
  readonly hookFiles: readonly HookFile[];
  readonly problems: readonly ConfigProblem[];
  readonly paths: readonly string[];
  readonly guarded: readonly GuardFile[];
  readonly offInProject: readonly string[];
}

interface LookedAt {
  readonly file: LoadedAgentFile;
  readonly exposed: string | undefined;
}

const hintOf = ({ file: { off, isPart, title, realPathOutside }, exposed }: LookedAt): string | undefined => {
  if (off !== undefined)
    return isPart === true ? `${title} does not run it: ${off}.` : `${title} runs no hook of this file: ${off}.`;
  if (exposed !== undefined) return WRITABLE_BY_OTHERS;
  return realPathOutside === undefined ? undefined : OUTSIDE_PROJECT;
};

const sheetOf = (looked: LookedAt, programInProject: ProgramInProject): SettingsSheet => {
  const { file, exposed } = looked;
  const { path, off, realPathOutside, scope, plugin, hooks } = file;
  const isTrusted = realPathOutside === undefined && exposed === undefined;
  return {
    file: path,
    barriers: [...(off === undefined ? [] : ['hooks-disabled' as const]), ...(isTrusted ? [] : ['untrusted' as const])],
    hint: hintOf(looked),
    isExposed: exposed !== undefined,
    programInProject: scope === 'project' || plugin !== undefined ? undefined : programInProject,
    positionOf: (wanted) => {
      const hook = hooks.find(({ path: own }) => wanted === own || wanted.startsWith(`${own}.`));
      return { file: path, line: hook?.line ?? 1, column: hook?.column ?? 1 };
    },
  };
};

/** An approval does not cover `recheck`, which does not change what the hook does. */
const located = (hook: LoadedAgentHook, sheet: SettingsSheet, source: ConfigSource) => {
  const { event: eventName, matcher, sequential, config, covered, path, flaw, dialect } = hook;
  const origin = { source, sheet, path, flaw, dialect, written: { recheck: undefined, ...covered } };
  return { eventName, matcher, sequential, origin, entry: withOrigin({ ...config }, origin) };
};

const definitionsOf = (hooks: readonly ReturnType<typeof located>[]): Record<string, readonly object[]> => {
  const events: Record<string, object[]> = {};
  for (const { eventName, matcher, sequential, origin, entry } of hooks) {
    const group = { ...(matcher === undefined ? {} : { matcher }), ...(sequential ? { sequential } : {}) };
    events[eventName] ??= [];
    events[eventName].push(withOrigin({ ...group, hooks: [entry] }, origin));
  }
  return events;
};

const sourceFileOf = (
  { path, scope: owner, plugin }: Pick<LoadedAgentFile, 'path' | 'scope' | 'plugin'>,
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

const problemsOf = ({ file: { path, scope, realPathOutside, problems }, exposed }: LookedAt): ConfigProblem[] => {
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
            message: writableByOthersText(exposed),
          } as const,
        ]),
    ...(realPathOutside === undefined
      ? []
      : [
          {
            ...base,
            code: 'untrusted',
            severity: 'warning',
            skipped: false,
            message: outsideProjectText(realPathOutside),
          } as const,
        ]),
    ...inWords(problems, scope),
  ];
};

export const readAgentHookFiles = async (
  options: DialectOptions,
  { cwd, home, projectDir, env, programInProject, lastTexts, types }: AgentHookFileContext,
  memory: AgentVariables,
): Promise<AgentHookFiles> => {
  const { loadAgentHooks, toPlatform } = await import('../../agents/engine-api.ts');
  const surroundings = { cwd, home, projectDir, env, platform: toPlatform(process.platform), lastTexts };
  const { files, problems, paths, unread } = await loadAgentHooks(options, surroundings, memory);
  const looked = files.map((file) => ({
    file,
    exposed: file.scope === 'project' ? undefined : whyWritableByOthers(file, home),
  }));
  const hookFiles = looked.map((one) => {
    const file = sourceFileOf(one.file, projectDir);
    const sheet = sheetOf(one, programInProject);
    const entries = one.file.hooks.map((hook) => located(hook, sheet, file.scope));
    return hookFileOf(
      { file, hooks: definitionsOf(entries), isOn: one.file.off === undefined },
      sheet,
      (origin, asked) => readEntries(entries, origin, asked),
      types,
    );
  });
  const guardFile = (one: (typeof files | typeof unread)[number]) => ({
    file: sourceFileOf(one, projectDir),
    guardMatching: one.guardMatching,
  });
  const unreadPaths = new Set(unread.map(({ path }) => path));
  const whole = files.filter(({ path }) => !unreadPaths.has(path));
  return {
    hookFiles,
    guarded: [
      ...whole.map((one) => ({ ...guardFile(one), exists: true })),
      ...unread.map((one) => ({ ...guardFile(one), exists: true, unread: one })),
    ],
    problems: [...looked.flatMap(problemsOf), ...inWords(problems, ConfigSource.Project)],
    paths: [...new Set(paths)],
    offInProject: files.filter(({ isOffByProject }) => isOffByProject === true).map(({ path }) => path),
  };
};

/** The agent `askedBy` runs its own hooks, so its entry does not count. */
export const isEveryAgentOff = (dialects: DialectsOption, askedBy: string | undefined): boolean =>
  Object.entries(dialects).every(([name, wish]) => name === askedBy && wish === false);

export const agentProjectMarks = async (
  dialects: DialectsOption,
  askedBy: string | undefined,
): Promise<readonly string[]> => {
  if (isEveryAgentOff(dialects, askedBy)) return [];
  const { listProjectFileNames: projectFileNames } = await import('../../agents/engine-api.ts');
  return projectFileNames(dialects);
};

const keys = ['dialects', 'agents'] as const;
type Key = (typeof keys)[number];

const skip = (document: SettingsDocument, code: NoticeCode, path: string, message: string): void =>
  document.report({ code, skipped: true, path, message }, document.positionOf(path));

const agentsIn = async ({ file, document, exposed }: FoundFile, key: Key): Promise<DialectsOption> => {
  if (document === undefined || file.family !== 'hookwright' || file.scope === 'extensions') return {};
  const value = document.read(key)?.value;
  if (value === undefined) return {};
  if (file.owner === 'project') {
    const message = `${key} has no effect here: only the settings of the user choose whose hooks are read`;
    skip(document, 'no-effect', key, message);
    return {};
  }
  if (exposed !== undefined) return {};
  if (!isRecord(value)) {
    const message = `${key} must be an object such as {"claude-code": true}, found ${describeValue(value)}`;
    skip(document, 'invalid-value', key, message);
    return {};
  }
  const { readAgentOption } = await import('../../agents/engine-api.ts');
  const wishes: [string, DialectsOption[string]][] = [];
  for (const [name, wish] of Object.entries(value)) {
    const read = readAgentOption(name, wish, key);
    if ('mistake' in read) skip(document, read.code, `${key}.${name}`, read.mistake);
    else wishes.push([name, read.wish]);
  }
  return Object.fromEntries(wishes);
};

/** Later files override earlier ones. */
export const agentsInSettings = async (found: readonly FoundFile[]): Promise<DialectsOption> =>
  Object.assign({}, ...(await Promise.all(found.flatMap((file) => keys.map((key) => agentsIn(file, key))))));
