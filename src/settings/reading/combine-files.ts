/** Combines the settings of all files: hooks, switches, problems. */
import type { AgentEntries } from '../../agents/engine-api.ts';
import { createSlicer, isRecord, isSameList } from '../../kit/index.ts';
import {
  type ConfigProblem,
  ConfigSource,
  type HookDefinition,
  type HooksByEvent,
  type HostExtension,
  isGuardEntry,
  listHookTypes,
  type RowSource,
  type SettingsSheet,
  settingsFileKeys,
} from '../../protocol/index.ts';
import {
  type ConfiguredHook,
  copyWithOwnConfig,
  type HookReading,
  type HookSource,
  type HooksOrigin,
  olderSwitchNames,
  readHooks,
} from '../../registry/index.ts';
import type { SourceFile } from '../source-file.ts';
import type { FoundFile } from './file-reader.ts';
import { containsHookForAgent, type PrepareOptions, prepareHooks } from './prepare-hooks.ts';
import type { SettingsDocument } from './settings-document.ts';
import {
  appliesToAllFiles,
  explainFileOff,
  type FileWithSwitches,
  listNamesDisabledForAll,
  listNamesDisabledForProject,
  mergeBudgets,
  noSwitches,
  readSwitches,
  reportSwitchesWithoutEffect,
  type ScopedBudgets,
} from './switches.ts';

export interface CombinedSettings {
  readonly project: HooksByEvent | undefined;
  readonly user: HooksByEvent | undefined;
  readonly system: HooksByEvent | undefined;
  readonly extensions: readonly HostExtension[];
  readonly hookFiles: readonly HookFile[];
  readonly disabled: readonly string[];
  readonly allowedEnv: readonly string[];
  readonly required: ReadonlyMap<string, RowSource>;
  readonly hasJournal: boolean;
  readonly isEnvListed: boolean;
  readonly budgets: ScopedBudgets;
  readonly offInProject: readonly string[];
  readonly isOn: boolean;
  /** The problems of files; the registry reports those of hooks. */
  readonly fileProblems: readonly ConfigProblem[];
  readonly problems: readonly ConfigProblem[];
}

export interface HookFile extends HookSource {
  readonly file: SourceFile;
  readonly hooks: Readonly<Record<string, unknown>>;
  readonly rows: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  readonly isOn: boolean;
}

/** Reads the hooks once, and again only for an engine with other hook types. */
export const createHookFile = (
  hookFile: Pick<HookFile, 'file' | 'hooks' | 'isOn'>,
  sheet: SettingsSheet,
  read: (origin: HooksOrigin, types: readonly string[]) => HookReading,
  types: readonly string[] = listHookTypes(),
): HookFile => {
  const { file } = hookFile;
  const extension = file.scope === ConfigSource.Extensions ? { extension: file.extension ?? file.path } : {};
  const origin = { source: file.scope, ...extension, skipReasons: [], sheet };
  const { hooks: rows, problems } = read(origin, types);
  return {
    ...hookFile,
    rows,
    problems,
    load: (asked = listHookTypes()) =>
      isSameList(asked, types) ? { hooks: rows.map(copyWithOwnConfig), problems } : read(origin, asked),
  };
};

const OUTSIDE_PROJECT_HINT = 'Its file is outside the project: put the file itself there, not a link.';

const WRITABLE_BY_OTHERS_HINT =
  'Others can write to its file, so what its guards would check is refused: change its permissions.';

/** `off` is the message of a switch that disables the hooks of the file. */
export const listFileBarriers = (
  off: string | undefined,
  { exposed, realPathOutside }: Pick<FoundFile, 'exposed' | 'realPathOutside'>,
): Pick<SettingsSheet, 'skipReasons' | 'hint' | 'isExposed'> => {
  const untrusted = exposed === undefined ? realPathOutside && OUTSIDE_PROJECT_HINT : WRITABLE_BY_OTHERS_HINT;
  return {
    skipReasons: [
      ...(off === undefined ? [] : ['hooks-disabled' as const]),
      ...(untrusted === undefined ? [] : ['untrusted' as const]),
    ],
    hint: off ?? untrusted,
    isExposed: exposed !== undefined,
  };
};

export const formatWritableByOthers = (why: string): string =>
  `${why}; it is ignored, and what its guards would check is refused`;

export const formatOutsideProject = (realPath: string): string =>
  `this file is outside the project, at ${realPath}; its hooks do not run: put the file itself there, not a link`;

const createSheet = (
  one: FileWithSwitches & { readonly document: SettingsDocument },
  all: readonly FileWithSwitches[],
  programInProject: ProgramInProject,
): { sheet: SettingsSheet; isOn: boolean } => {
  const { file, document } = one;
  const off = explainFileOff(one, all);
  const names =
    file.owner === 'project'
      ? listNamesDisabledForProject(all.filter(({ file: { outer } }) => outer === file.outer)).map(({ name }) => name)
      : [];
  const sheet = {
    file: file.path,
    ...listFileBarriers(off, one),
    disabled: new Set(names),
    projectDir: file.outer,
    programInProject: appliesToAllFiles(file) ? programInProject : undefined,
    positionOf: (path: string) => document.positionOf(path),
  };
  return { sheet, isOn: off === undefined };
};

export interface CombineOptions extends Omit<PrepareOptions, 'allowedEnv' | 'agents'> {
  readonly loadAgents: () => Promise<AgentEntries>;
  readonly programInProject: ProgramInProject;
  readonly types?: readonly string[] | undefined;
}

export type ProgramInProject = NonNullable<SettingsSheet['programInProject']>;

const readHooksOfFile = async (
  one: FileWithSwitches,
  all: readonly FileWithSwitches[],
  { loadAgents, programInProject, types, ...preparation }: CombineOptions & Pick<PrepareOptions, 'allowedEnv'>,
): Promise<HookFile | undefined> => {
  const { file, document, realPathOutside, exposed } = one;
  if (document === undefined) return undefined;
  if (exposed !== undefined) document.reportFile('unreadable-file', formatWritableByOthers(exposed));
  if (realPathOutside !== undefined) {
    document.report({ code: 'untrusted', skipped: false, path: '', message: formatOutsideProject(realPathOutside) });
  }
  const { sheet, isOn } = createSheet({ ...one, document }, all, programInProject);
  const read = document.read('hooks');
  if (read === undefined) return undefined;
  const { value: hooks } = read;
  if (!isRecord(hooks)) {
    const { problems } = readHooks(hooks, { source: file.scope, skipReasons: [] });
    const position = document.positionOf('hooks');
    document.problems.push(...problems.map((problem) => ({ ...problem, ...position, severity: 'error' as const })));
    return undefined;
  }
  if (file.family === 'gemini') for (const key of olderSwitchNames) delete hooks[key];
  prepareHooks(hooks, document, sheet, {
    ...preparation,
    agents: containsHookForAgent(hooks) ? await loadAgents() : undefined,
  });
  if (file.outer !== undefined) removeNonGuards(hooks);
  return createHookFile({ file, hooks, isOn }, sheet, (origin, asked) => readHooks(hooks, origin, asked), types);
};

const removeNonGuards = (hooks: Record<string, unknown>): void => {
  for (const definitions of Object.values(hooks)) {
    for (const group of Array.isArray(definitions) ? definitions.filter(isRecord) : []) {
      const entries: unknown = group.hooks;
      if (!Array.isArray(entries)) continue;
      entries.splice(0, entries.length, ...entries.filter((entry) => isRecord(entry) && isGuardEntry(entry)));
    }
  }
};

const isHookDefinition = (value: unknown): value is HookDefinition => isRecord(value) && Array.isArray(value.hooks);

const mergeHooks = (hookFiles: readonly HookFile[]): HooksByEvent | undefined => {
  if (hookFiles.length === 0) return undefined;
  const all = new Map<string, HookDefinition[]>();
  for (const { hooks } of hookFiles) {
    for (const [eventName, definitions] of Object.entries(hooks)) {
      if (!Array.isArray(definitions)) continue;
      all.set(eventName, [...(all.get(eventName) ?? []), ...definitions.filter(isHookDefinition)]);
    }
  }
  return Object.fromEntries(all);
};

const comparePositions = (a: ConfigProblem, b: ConfigProblem): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

const readFileSwitches = (one: FoundFile): FileWithSwitches => {
  const { file, document } = one;
  document?.reportDuplicates((key) => file.family === 'hookwright' || settingsFileKeys.includes(key));
  const counts = document !== undefined && one.exposed === undefined;
  return { ...one, switches: counts ? readSwitches(document) : noSwitches };
};

const scopeOrder = [ConfigSource.Project, ConfigSource.User, ConfigSource.System, ConfigSource.Extensions] as const;

/** `before` are problems found earlier, `others` the files of other agents. */
export const combineFiles = async (
  found: readonly FoundFile[],
  options: CombineOptions,
  before: readonly ConfigProblem[],
  others: readonly HookFile[] = [],
): Promise<CombinedSettings> => {
  const giveTurn = createSlicer();
  const files: FileWithSwitches[] = [];
  for (const one of found) {
    files.push(readFileSwitches(one));
    await giveTurn();
  }
  const allowed = files.filter(({ file }) => file.owner !== 'project').flatMap(({ switches }) => switches.allowedEnv);
  const allowedEnv = [...new Set(allowed.map(({ name }) => name))];
  const isEnvListed = files.some(({ file, switches }) => file.owner !== 'project' && switches.projectEnv?.on === true);
  const preparation = { ...options, allowedEnv };
  const hookFiles: HookFile[] = [];
  for (const one of files) {
    const hookFile = await readHooksOfFile(one, files, preparation);
    if (hookFile !== undefined) hookFiles.push(hookFile);
    await giveTurn();
  }
  hookFiles.push(...others);
  reportSwitchesWithoutEffect(files, hookFiles);
  const of = (scope: ConfigSource): HookFile[] => hookFiles.filter(({ file }) => file.scope === scope);
  const fileProblems = files.flatMap(({ document }) => document?.problems ?? []);
  const problems = files.flatMap(({ file, document }) => {
    const ofHooks = hookFiles.find((hookFile) => hookFile.file === file)?.problems ?? [];
    return [...(document?.problems ?? []), ...ofHooks].sort(comparePositions);
  });
  const ofOthers = others.flatMap((hookFile) => hookFile.problems);
  return {
    project: mergeHooks(of(ConfigSource.Project)),
    user: mergeHooks(of(ConfigSource.User)),
    system: mergeHooks(of(ConfigSource.System)),
    extensions: of(ConfigSource.Extensions).map((hookFile) => ({
      name: hookFile.file.extension ?? hookFile.file.path,
      isActive: true,
      hooks: mergeHooks([hookFile]),
    })),
    hookFiles: scopeOrder.flatMap(of),
    disabled: [...new Set(listNamesDisabledForAll(files).map(({ name }) => name))],
    allowedEnv,
    required: new Map(
      files
        .filter(({ file }) => file.owner !== 'project')
        .flatMap(({ file, switches }) =>
          switches.required.map(({ name, position }): [string, RowSource] => [
            name,
            { kind: file.scope, file: file.path, line: position.line },
          ]),
        ),
    ),
    hasJournal: !files.some(({ file, switches }) => file.owner !== 'project' && switches.journal?.on === false),
    isEnvListed,
    budgets: mergeBudgets(files),
    offInProject: files
      .filter(({ file, switches }) => file.owner === 'project' && switches.enabled?.on === false)
      .map(({ file }) => file.path),
    isOn: hookFiles.some(({ isOn, rows }) => isOn && rows.length > 0),
    fileProblems: [...before, ...fileProblems],
    problems: [...before, ...problems, ...ofOthers],
  };
};
