/** Converts hook files of other agents to the form of settings files, and reads which agents are enabled. */
import type {
  DialectProblem,
  LastTexts,
  LoadedAgentFile,
  LoadedAgentHook,
  VariablesByAgent,
} from '../../agents/engine-api.ts';
import type { DialectOptions, DialectsOption } from '../../agents/index.ts';
import { describeValue, isRecord, omitUndefined } from '../../kit/index.ts';
import { type ConfigProblem, ConfigSource, type SettingsSheet, withOrigin } from '../../protocol/index.ts';
import { readEntries } from '../../registry/index.ts';
import { whyWritableByOthers } from '../../trust/index.ts';
import type { GuardFile, SourceFile } from '../source-file.ts';
import {
  createHookFile,
  formatOutsideProject,
  formatWritableByOthers,
  type HookFile,
  listFileBarriers,
  type ProgramInProject,
} from './combine-files.ts';
import type { FoundFile } from './file-reader.ts';

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

interface CheckedAgentFile {
  readonly file: LoadedAgentFile;
  readonly exposed: string | undefined;
}

const explainAgentFileOff = ({ off, isPart, title }: LoadedAgentFile): string | undefined =>
  off && `${title} ${isPart === true ? 'does not run it' : 'runs no hook of this file'}: ${off}.`;

const createAgentSheet = ({ file, exposed }: CheckedAgentFile, programInProject: ProgramInProject): SettingsSheet => {
  const { path, realPathOutside, scope, plugin, hooks } = file;
  return {
    file: path,
    ...listFileBarriers(explainAgentFileOff(file), { exposed, realPathOutside }),
    programInProject: scope === 'project' || plugin !== undefined ? undefined : programInProject,
    positionOf: (wanted) => {
      const hook = hooks.find(({ path: own }) => wanted === own || wanted.startsWith(`${own}.`));
      return { file: path, line: hook?.line ?? 1, column: hook?.column ?? 1 };
    },
  };
};

/** `recheck` is not part of an approval, because it does not change what the hook does. */
const toLocatedEntry = (hook: LoadedAgentHook, sheet: SettingsSheet, source: ConfigSource) => {
  const { event: eventName, matcher, sequential, config, covered, path, flaw, dialect } = hook;
  const origin = { source, sheet, path, flaw, dialect, written: { recheck: undefined, ...covered } };
  return { eventName, matcher, sequential, origin, entry: withOrigin({ ...config }, origin) };
};

const groupByEvent = (hooks: readonly ReturnType<typeof toLocatedEntry>[]): Record<string, readonly object[]> => {
  const events: Record<string, object[]> = {};
  for (const { eventName, matcher, sequential, origin, entry } of hooks) {
    const group = omitUndefined({ matcher, sequential: sequential ? true : undefined, hooks: [entry] });
    events[eventName] ??= [];
    events[eventName].push(withOrigin(group, origin));
  }
  return events;
};

const toSourceFile = (
  { path, scope: owner, plugin }: Pick<LoadedAgentFile, 'path' | 'scope' | 'plugin'>,
  projectDir: string,
): SourceFile => {
  const scope = plugin === undefined ? owner : ConfigSource.Extensions;
  const extension = plugin === undefined ? undefined : [plugin.id, plugin.version].join(' ').trim();
  const mustStayIn = plugin?.root ?? (owner === 'project' ? projectDir : undefined);
  return { path, scope, extension, family: 'dialect', owner, mustStayIn };
};

const toConfigProblems = (problems: readonly DialectProblem[], scope: ConfigSource): ConfigProblem[] =>
  problems.map(({ severity, file, path, line, column, message, fix, isSilentThere, isUnreadable }) => ({
    code: isUnreadable === true ? 'unreadable-file' : 'dialect',
    severity,
    skipped: severity === 'error',
    path,
    source: scope,
    message: isSilentThere === true && severity === 'error' ? `${message} (its agent says nothing about it)` : message,
    ...(file === '' ? {} : { file, line, column }),
    ...omitUndefined({ hint: fix }),
  }));

const listProblems = ({
  file: { path, scope, realPathOutside, problems },
  exposed,
}: CheckedAgentFile): ConfigProblem[] => {
  const base = { path: '', source: scope, file: path };
  const found = toConfigProblems(problems, scope);
  if (realPathOutside !== undefined) {
    const message = formatOutsideProject(realPathOutside);
    found.unshift({ ...base, code: 'untrusted', severity: 'warning', skipped: false, message });
  }
  if (exposed !== undefined) {
    const message = formatWritableByOthers(exposed);
    found.unshift({ ...base, code: 'unreadable-file', severity: 'error', skipped: true, message });
  }
  return found;
};

export const readAgentHookFiles = async (
  options: DialectOptions,
  { cwd, home, projectDir, env, programInProject, lastTexts, types }: AgentHookFileContext,
  memory: VariablesByAgent,
): Promise<AgentHookFiles> => {
  const { loadAgentHooks, toPlatform } = await import('../../agents/engine-api.ts');
  const surroundings = { cwd, home, projectDir, env, platform: toPlatform(process.platform), lastTexts };
  const { files, problems, paths, unread } = await loadAgentHooks(options, surroundings, memory);
  const looked = files.map((file) => ({
    file,
    exposed: file.scope === 'project' ? undefined : whyWritableByOthers(file, home),
  }));
  const hookFiles = looked.map((one) => {
    const file = toSourceFile(one.file, projectDir);
    const sheet = createAgentSheet(one, programInProject);
    const entries = one.file.hooks.map((hook) => toLocatedEntry(hook, sheet, file.scope));
    return createHookFile(
      { file, hooks: groupByEvent(entries), isOn: one.file.off === undefined },
      sheet,
      (origin, asked) => readEntries(entries, origin, asked),
      types,
    );
  });
  const toGuardFile = (one: (typeof files | typeof unread)[number]) => ({
    file: toSourceFile(one, projectDir),
    guardMatching: one.guardMatching,
  });
  const unreadPaths = new Set(unread.map(({ path }) => path));
  const whole = files.filter(({ path }) => !unreadPaths.has(path));
  return {
    hookFiles,
    guarded: [
      ...whole.map((one) => ({ ...toGuardFile(one), exists: true })),
      ...unread.map((one) => ({ ...toGuardFile(one), exists: true, unread: one })),
    ],
    problems: [...looked.flatMap(listProblems), ...toConfigProblems(problems, ConfigSource.Project)],
    paths: [...new Set(paths)],
    offInProject: files.filter(({ isOffByProject }) => isOffByProject === true).map(({ path }) => path),
  };
};

/** The agent `askedBy` runs its own hooks, so its entry is ignored. */
export const isEveryAgentOff = (dialects: DialectsOption, askedBy: string | undefined): boolean =>
  Object.entries(dialects).every(([name, wish]) => name === askedBy && wish === false);

export const findAgentProjectMarkers = async (
  dialects: DialectsOption,
  askedBy: string | undefined,
): Promise<readonly string[]> => {
  if (isEveryAgentOff(dialects, askedBy)) return [];
  const { listProjectFileNames } = await import('../../agents/engine-api.ts');
  return listProjectFileNames(dialects);
};

const agentsSettings = ['dialects', 'agents'] as const;
type AgentsSetting = (typeof agentsSettings)[number];

const readAgents = async ({ file, document, exposed }: FoundFile, key: AgentsSetting): Promise<DialectsOption> => {
  if (document === undefined || file.family !== 'hookwright' || file.scope === 'extensions') return {};
  const value = document.read(key)?.value;
  if (value === undefined) return {};
  if (file.owner === 'project') {
    const message = `${key} has no effect here: only the settings of the user choose whose hooks are read`;
    document.reportAtPath({ code: 'no-effect', skipped: true, path: key, message });
    return {};
  }
  if (exposed !== undefined) return {};
  if (!isRecord(value)) {
    const message = `${key} must be an object such as {"claude-code": true}, found ${describeValue(value)}`;
    document.reportAtPath({ code: 'invalid-value', skipped: true, path: key, message });
    return {};
  }
  const { readAgentOption } = await import('../../agents/engine-api.ts');
  const wishes: [string, DialectsOption[string]][] = [];
  for (const [name, wish] of Object.entries(value)) {
    const read = readAgentOption(name, wish, key);
    if ('wish' in read) wishes.push([name, read.wish]);
    else document.reportAtPath({ code: read.code, skipped: true, path: `${key}.${name}`, message: read.mistake });
  }
  return Object.fromEntries(wishes);
};

export const readAgentsInSettings = async (found: readonly FoundFile[]): Promise<DialectsOption> =>
  Object.assign(
    {},
    ...(await Promise.all(found.flatMap((file) => agentsSettings.map((key) => readAgents(file, key))))),
  );
