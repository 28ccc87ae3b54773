// The door (the file to import) for the engine: hooks of other agents, from their files and from our settings.
import { dirname } from 'node:path';
import { type FileOwnership, textOf } from '../kit/index.ts';
import type { AgentHook } from '../protocol/index.ts';
import { SessionVariables } from '../runners/index.ts';
import { findOurEvent, listOurEvents } from './agent-events.ts';
import { InterpretedHook, type SharedHookState } from './agent-hook.ts';
import { dialectNamed, explainUnknownAgent } from './agent-table.ts';
import { isAtLeast } from './agent-version.ts';
import {
  type AgentFileReading,
  createOtherReaderLookup,
  findDuplicateCommands,
  type StartableHook,
} from './double-runs.ts';
import {
  type AgentFile,
  findAgentFiles,
  KEPT_TEXT_NOTE,
  resolvePaths,
  type SearchLocations,
  type UnreadFile,
} from './find-agent-files.ts';
import { toHookConfig } from './judging/judge-hooks.ts';
import { createWarning } from './reading/entry.ts';
import { type Handler, HandlerFields } from './reading/handler.ts';
import { type DialectEntry, type DialectProblem, findMatcherFlaw, readAgentFiles } from './reading/read-file.ts';
import type { EventRule, JsonObject, Plugin, Scope } from './rule-types.ts';
import type { AgentRules, DialectOptions, DialectsOption } from './rules.ts';
import type { Vocabulary } from './tools/vocabulary.ts';
import {
  describeNewerVersion,
  findAgentsReadByOthers,
  readAgentsOption,
  readToolsOption,
  reportUnknownVersion,
  type WantedAgent,
} from './wanted-agents.ts';

export { type LastTexts, toPlatform, type UnreadFile } from './find-agent-files.ts';
export type { DialectProblem } from './reading/read-file.ts';
export { mapToolKinds, readAgentOption } from './wanted-agents.ts';

export interface LoadedAgentHook {
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly sequential: boolean;
  readonly config: JsonObject;
  /** Members that an approval must cover beside `config`: they decide when the hook runs and what its answer does. */
  readonly covered: JsonObject;
  /** A mistake because of which the hook can never run. */
  readonly flaw?: string | undefined;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly dialect: InterpretedHook;
}

/** Whether a guard with this matcher at our event applies to a call. `agentEvent` is `undefined` if unknown. */
type GuardMatcherFactory = (
  event: string,
  matcher: string | undefined,
  agentEvent: string | undefined,
) => AgentHook['matches'];

export interface LoadedAgentFile {
  readonly guardMatching: GuardMatcherFactory;
  readonly path: string;
  readonly realPath: string;
  readonly stats: FileOwnership;
  readonly realPathOutside?: string | undefined;
  readonly scope: Scope;
  readonly plugin?: Plugin | undefined;
  readonly title: string;
  readonly hooks: readonly LoadedAgentHook[];
  readonly problems: readonly DialectProblem[];
  readonly off?: string | undefined;
  readonly isOffByProject?: boolean;
  readonly isPart?: true;
}

export interface LoadedAgents {
  readonly files: readonly LoadedAgentFile[];
  readonly problems: readonly DialectProblem[];
  readonly paths: readonly string[];
  readonly unread: readonly UnreadAgentFile[];
}

interface UnreadAgentFile extends UnreadFile {
  readonly guardMatching: GuardMatcherFactory;
}

export type VariablesByAgent = Map<string, SessionVariables>;

interface FileToLoad extends WantedAgent, AgentFileReading {
  readonly guardMatching: GuardMatcherFactory;
  readonly filesOfAgent: readonly AgentFile[];
}

/** Runs no hook; mistakes in files become problems. */
export const loadAgentHooks = async (
  option: DialectOptions,
  place: SearchLocations,
  memory: VariablesByAgent = new Map(),
): Promise<LoadedAgents> => {
  const tools = readToolsOption(option.tools);
  const files: LoadedAgentFile[] = [];
  const problems: DialectProblem[] = [];
  const paths: string[] = [];
  const unread: UnreadAgentFile[] = [];
  const all: FileToLoad[] = [];
  const configured = readAgentsOption(option.dialects);
  for (const wanted of [...configured, ...findAgentsReadByOthers(configured, option.dialects)]) {
    const { dialect, version, mode } = wanted;
    problems.push(...reportUnknownVersion(wanted));
    paths.push(...dialect.files.flatMap((rule) => resolvePaths(rule, place)));
    const found = await findAgentFiles(dialect, place, version, mode);
    const read = readFilesOrLastTexts(wanted, found.files, place);
    problems.push(...found.problems);
    paths.push(...[...found.files, ...found.unread].map(({ path }) => path), ...found.pluginPaths);
    const guardMatching = createGuardMatching(wanted, tools, place);
    unread.push(...[...found.unread, ...read.unread].map((file) => ({ ...file, guardMatching })));
    for (const one of read.files) {
      const off = one.reading.off ?? (mode === 'faithful' ? one.reading.void : undefined);
      all.push({ ...wanted, title: dialect.title, ...one, off, filesOfAgent: found.files, guardMatching });
    }
  }
  const elsewhere = createOtherReaderLookup([...(await readFilesRunByCaller(option.askedBy, place)), ...all]);
  let order = 0;
  for (const one of all) {
    const { dialect, title, file, reading, off, filesOfAgent, guardMatching } = one;
    const { path, realPath, stats, realPathOutside, scope, plugin } = file;
    const base = { path, realPath, stats, realPathOutside, scope, title, plugin, guardMatching };
    const hooksOf = (entries: readonly DialectEntry[]): LoadedAgentHook[] =>
      entries.flatMap((entry) => {
        order += 1;
        return createLoadedHooks(entry, one, tools, place, createSharedState(dialect, memory, place, order));
      });
    const taken = reading.entries.filter((entry) => elsewhere(one, entry) !== undefined);
    const entries = reading.entries.filter((entry) => elsewhere(one, entry) === undefined);
    files.push({
      ...base,
      hooks: hooksOf(entries.filter((entry) => off !== undefined || entry.off === undefined)),
      problems: [
        ...reading.problems,
        ...reportUnmappedEvents(entries, title),
        ...reportTakenOver(taken, one, elsewhere),
      ],
      off,
      isOffByProject: isOffByProject(reading.off, file, filesOfAgent),
    });
    if (off !== undefined) continue;
    for (const why of new Set(entries.flatMap((entry) => entry.off ?? []))) {
      const hooks = hooksOf(entries.filter((entry) => entry.off === why));
      const isByProject = isOffByProject(why, file, filesOfAgent);
      files.push({ ...base, hooks, problems: [], off: why, isOffByProject: isByProject, isPart: true });
    }
  }
  problems.push(...findDuplicateCommands(files.flatMap(listStartableHooks)));
  return { files, problems, paths, unread };
};

const createSharedState = (
  { name }: AgentRules,
  memory: VariablesByAgent,
  { env }: SearchLocations,
  order: number,
): SharedHookState => {
  const variables = memory.get(name) ?? new SessionVariables();
  memory.set(name, variables);
  return { variables, env, order };
};

const createLoadedHooks = (
  entry: DialectEntry,
  { dialect, mode, version }: WantedAgent,
  tools: Vocabulary | undefined,
  place: SearchLocations,
  shared: SharedHookState,
  matcherProblem?: LoadedAgentHook['dialect']['matcherProblem'],
): LoadedAgentHook[] => {
  const { rule, handler, refusal, matcher, path, line, column } = entry;
  if (rule === undefined || findOurEvent(rule) === undefined) return [];
  const { projectDir } = place;
  // `as-asked`: the settings file says whether hooks run one after another.
  const sequential = dialect.order === 'as-asked' ? entry.sequential : dialect.order === 'sequential';
  const config =
    handler === undefined
      ? { type: 'command', command: String(entry.written.command ?? entry.event) }
      : toHookConfig(entry, handler, { dialect, mode }, place);
  return listOurEvents(rule).map((event) => {
    const options = { mode, version, tools, projectDir, shared, matcherProblem };
    const hook = new InterpretedHook(dialect, entry, rule, options);
    const flaw = refusal?.message ?? (hook.matcher.leftOut === true ? hook.matcher.problem : undefined);
    const covered = pickCoveredMembers(entry, event, dialect.events(version));
    return { event, matcher, sequential, config, covered, flaw, path, line, column, dialect: hook };
  });
};

/** Covers the agent's event only if several events of the agent map to the same event of ours. */
const pickCoveredMembers = (
  { event, handler }: DialectEntry,
  moment: string,
  events: Readonly<Record<string, EventRule>>,
): JsonObject => {
  const isShared = Object.entries(events).some(
    ([name, rule]) => name !== event && listOurEvents(rule).includes(moment),
  );
  const { condition, isAsync, loopLimit } = handler ?? {};
  return {
    ...(isShared && { agentEvent: event }),
    ...(condition !== undefined && { if: condition }),
    ...(isAsync === true && { background: true }),
    ...(loopLimit !== undefined && { maxStops: loopLimit }),
  };
};

/** `off` may name the file that disables the hooks; without a name it is this file. */
const isOffByProject = (off: string | undefined, { scope, plugin }: AgentFile, all: readonly AgentFile[]): boolean =>
  off !== undefined &&
  scope === 'project' &&
  plugin === undefined &&
  !all.some((file) => file.scope !== 'project' && off.includes(file.path));

/** If the agent's event is unknown, the guard applies if it matches at any event of the agent. */
const createGuardMatching =
  (
    { dialect, mode, version }: WantedAgent,
    tools: Vocabulary | undefined,
    { projectDir }: SearchLocations,
  ): GuardMatcherFactory =>
  (moment, matcher, agentEvent) => {
    const hooks = Object.entries(dialect.events(version)).flatMap(([event, rule]) => {
      if (!listOurEvents(rule).includes(moment)) return [];
      if (agentEvent !== undefined && event !== agentEvent) return [];
      const entry = {
        dialect: dialect.name,
        event,
        rule,
        written: {},
        notes: [],
        scope: 'project',
        file: '',
        path: '',
        line: 1,
        column: 1,
        sequential: false,
      } as const;
      return new InterpretedHook(dialect, entry, rule, { mode, version, tools, projectDir }).withMatcher(matcher);
    });
    return (context) => {
      const found = hooks.map((hook) => hook.matches(context));
      return found.length === 0 || found.includes(true) || (found.includes('timeout') && 'timeout');
    };
  };

const reportUnmappedEvents = (entries: readonly DialectEntry[], title: string): DialectProblem[] =>
  entries
    .filter(({ rule }) => rule !== undefined && findOurEvent(rule) === undefined)
    .map((entry) => {
      const message = `${title}'s ${entry.event} has no moment here; the hook does not run`;
      return createWarning(entry, message, `let ${title} itself run it, or put the hook under an event that there is`);
    });

/** A project must not disable hooks of the user or the system, except in faithful mode. */
const readAllFiles = (
  { dialect, version, mode }: WantedAgent,
  files: readonly AgentFile[],
  { platform }: SearchLocations,
) => {
  const options = { version, platform };
  const together = readAgentFiles(dialect, files, options);
  if (mode === 'faithful') return together;
  const ofOthers = files.filter(({ scope }) => scope !== 'project');
  const alone = new Map(readAgentFiles(dialect, ofOthers, options).map((one) => [one.file, one]));
  return together.map((one) => alone.get(one.file) ?? one);
};

const readFilesOrLastTexts = (wanted: WantedAgent, found: readonly AgentFile[], place: SearchLocations) => {
  const { lastTexts } = place;
  const read = readAllFiles(wanted, found, place);
  const broken = new Map(read.flatMap(({ file, reading }) => (reading.root === undefined ? [[file, reading]] : [])));
  for (const { path, text, stats } of found.filter((file) => !broken.has(file))) lastTexts?.set(path, { text, stats });
  const hasLast = ({ path }: AgentFile): boolean => lastTexts?.has(path) === true;
  const unread = [...broken].flatMap(([file, { problems }]): UnreadFile[] => {
    const { path, scope, plugin } = file;
    const [{ line, message } = { line: 1, message: '' }] = problems;
    return hasLast(file) ? [] : [{ path, scope, plugin, line, message }];
  });
  if (![...broken.keys()].some(hasLast)) return { files: read, unread };
  const known = found.map((file) => (broken.has(file) ? { ...file, ...lastTexts?.get(file.path) } : file));
  const files = readAllFiles(wanted, known, place).map((one, index) => {
    const file = found[index];
    const now = file === undefined || !hasLast(file) ? undefined : broken.get(file);
    if (now === undefined) return one;
    const problems = now.problems.map((problem) => ({ ...problem, message: problem.message + KEPT_TEXT_NOTE }));
    return { ...one, reading: { ...one.reading, problems: [...problems, ...one.reading.problems] } };
  });
  return { files, unread };
};

const readFilesRunByCaller = async (name: string | undefined, place: SearchLocations): Promise<AgentFileReading[]> => {
  const dialect = name === undefined ? undefined : dialectNamed(name);
  if (dialect === undefined) return [];
  const { title, files } = dialect;
  const always = { ...dialect, files: files.filter(({ of, isOptional }) => of !== undefined && isOptional !== true) };
  if (always.files.length === 0) return [];
  const found = await findAgentFiles(always, place);
  return readAgentFiles(dialect, found.files, { platform: place.platform }).map((one) => ({
    ...one,
    title,
    off: one.reading.off ?? one.reading.void,
    isElsewhere: true,
  }));
};

const reportTakenOver = (
  taken: readonly DialectEntry[],
  one: AgentFileReading,
  elsewhere: ReturnType<typeof createOtherReaderLookup>,
): DialectProblem[] => {
  const [first] = taken;
  const reader = first === undefined ? undefined : elsewhere(one, first);
  if (first === undefined || reader === undefined) return [];
  const message = `${one.title} reads this file, too: what both would run runs once, as a hook of ${reader}`;
  return [createWarning(first, message, 'nothing has to be done; ask for one of the two alone, and this is not said')];
};

const listStartableHooks = ({ path: file, title, hooks, off }: LoadedAgentFile): StartableHook[] =>
  off === undefined
    ? hooks.map(({ config: { command }, flaw, ...hook }) => ({
        ...hook,
        title,
        file,
        command: flaw === undefined ? textOf(command) : undefined,
      }))
    : [];

export interface AgentEntry extends Pick<DialectEntry, 'file' | 'scope' | 'path' | 'line' | 'column' | 'matcher'> {
  readonly event: string;
  readonly sequential: boolean;
  readonly written: Readonly<JsonObject>;
}

export type AgentEntryReading =
  | { readonly hook: LoadedAgentHook; readonly warning?: { readonly key: string; readonly message: string } }
  | { readonly code: 'unknown-name' | 'invalid-value'; readonly key: string; readonly mistake: string };

export class AgentEntries {
  readonly #option: DialectOptions;
  readonly #place: SearchLocations;
  readonly #memory: VariablesByAgent;
  /** Hooks of our settings run before those of agents' files. */
  #order = -1_000_000;

  constructor(option: DialectOptions, place: SearchLocations, memory: VariablesByAgent) {
    this.#option = option;
    this.#place = place;
    this.#memory = memory;
  }

  read({ written, event: moment, ...spot }: AgentEntry): AgentEntryReading {
    const { agent = '', agentVersion, agentEvent, type = 'command' } = written;
    const wrong = (key: string, mistake: string): AgentEntryReading => ({ code: 'invalid-value', key, mistake });
    const dialect = dialectNamed(String(agent));
    if (dialect === undefined)
      return { code: 'unknown-name', key: 'agent', mistake: explainUnknownAgent(String(agent)) };
    const { title, latest, oldest } = dialect;
    const wish = this.#option.dialects[dialect.name];
    const { version: wished = latest, mode = 'strict' } = typeof wish === 'object' ? wish : {};
    const version = textOf(agentVersion) ?? wished;
    if (!isAtLeast(version, oldest))
      return wrong('agentVersion', `rules of ${title} ${version} are not known; the oldest are those of ${oldest}`);
    const { named, names } = findAgentEvent(dialect, version, moment, textOf(agentEvent));
    if (named === undefined) {
      const what =
        agentEvent === undefined ? `no event for ${moment}` : `no event "${String(agentEvent)}" for ${moment}`;
      const known = names.length === 0 ? '' : `; it has ${names.join(', ')}`;
      return wrong(agentEvent === undefined ? 'agent' : 'agentEvent', `${title} has ${what}${known}`);
    }
    const [event, rule] = named;
    if (Array.isArray(written.if)) return wrong('if', `hooks of ${title} have one condition, written as a text`);
    if (written.if !== undefined && dialect.fits === undefined)
      return wrong('if', `hooks of ${title} have no condition; use a matcher, or leave it out`);
    const { handler, problem } = dialect.readHandler(toAgentHandler(written, type, dialect), {
      event,
      rule,
      version,
      platform: this.#place.platform,
    });
    const entry: DialectEntry = {
      ...spot,
      dialect: dialect.name,
      event,
      rule,
      written,
      refusal: problem,
      notes: [],
      handler: handler && { ...handler, ...readSettingsMembers(written, handler) },
    };
    this.#order += 1;
    const shared = createSharedState(dialect, this.#memory, this.#place, this.#order);
    const flaw = spot.matcher === undefined ? undefined : findMatcherFlaw(dialect, rule, event, version, spot.matcher);
    const tools = readToolsOption(this.#option.tools);
    const hooks = createLoadedHooks(entry, { dialect, version, mode }, tools, this.#place, shared, flaw);
    const hook = hooks.find((one) => one.event === moment);
    if (hook === undefined) return wrong('agent', `${title} has no event for ${moment}`);
    const isNew = agentVersion !== undefined && !isAtLeast(latest, version);
    const warning = { key: 'agentVersion', message: describeNewerVersion(title, version, latest) };
    return isNew ? { hook, warning } : { hook };
  }
}

const findAgentEvent = (dialect: AgentRules, version: string, moment: string, wish: string | undefined) => {
  const found = Object.entries(dialect.events(version)).filter(([, rule]) => listOurEvents(rule).includes(moment));
  const general = found.find(([, rule]) => rule.moment === moment && rule.kinds === undefined);
  const named = wish === undefined ? (general ?? found[0]) : found.find(([name]) => name === wish);
  return { named, names: found.map(([name]) => name) };
};

const toAgentHandler = (written: Readonly<JsonObject>, type: unknown, { writes }: AgentRules): JsonObject => {
  const { command, url, prompt, server, tool, input } = written;
  const byType: Readonly<Record<string, JsonObject>> = {
    http: { type, url },
    prompt: { type, prompt },
    mcp: { type: 'mcp_tool', server, tool, input },
  };
  const condition = textOf(written.if);
  const handler = byType[String(type)] ?? { type, [writes.line]: command };
  return condition === undefined ? handler : { ...handler, if: condition };
};

/** Mistakes in these members are reported when our settings are read. */
const readSettingsMembers = (written: Readonly<JsonObject>, handler: Handler): Partial<Handler> => {
  const { timeout, maxStops, onFault, background } = written;
  const fields = new HandlerFields(written);
  return {
    name: fields.text('name'),
    statusMessage: fields.text('statusMessage'),
    args: fields.texts('args'),
    shell: fields.text('shell'),
    cwd: fields.text('cwd'),
    env: fields.record('env'),
    headers: fields.record('headers'),
    allowedEnvVars: fields.texts('allowedEnvVars'),
    condition: textOf(written.if),
    timeoutMs: typeof timeout === 'number' && timeout > 0 ? timeout : handler.timeoutMs,
    failClosed: onFault === 'deny' || handler.failClosed,
    isAsync: background === true || handler.isAsync,
    ...(typeof maxStops === 'number' || maxStops === null ? { loopLimit: maxStops } : {}),
  };
};

const PROJECT_PREFIX = '{project}/';

export const listProjectFileNames = (option: DialectsOption): string[] =>
  readAgentsOption(option)
    .flatMap(({ dialect }) => dialect.files)
    .flatMap(({ path }) =>
      typeof path === 'string' && path.startsWith(PROJECT_PREFIX) ? [path.slice(PROJECT_PREFIX.length)] : [],
    )
    .map((path) => (path.includes('*') ? dirname(path) : path));
