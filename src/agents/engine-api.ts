// The second door of the dialects: hooks of other agents as the engine takes them, for the readers of settings.

import { dirname } from 'node:path';
import { invalidArgument } from '../errors.ts';
import type { FileOwnership } from '../kit/index.ts';
import { describeValue, isRecord, textOf } from '../kit/index.ts';
import { matchRegex } from '../planner/index.ts';
import type { HookDialect } from '../protocol/index.ts';
import { momentOf } from './agent-moments.ts';
import type { Dialect, JsonObject, Scope } from './dialect.ts';
import { type OneReading, readElsewhere, type Startable, sameLines } from './double-runs.ts';
import { type AgentFile, findDialectFiles, pathsOf, type SearchLocations, STAYS, type UnreadFile } from './finding.ts';
import { configOf } from './judging/judge-hooks.ts';

export { type LastTexts, platformOf, type UnreadFile } from './finding.ts';
export type { DialectProblem } from './reading/read-file.ts';

import { SessionVariables } from '../runners/index.ts';
import { isAtLeast } from './agent-version.ts';
import type { DialectMode, DialectOptions, DialectsOption, ToolsOption } from './dialect-options.ts';
import { dialectNamed, noSuchAgent } from './dialect-table.ts';
import { ForeignHook } from './foreign.ts';
import { hookDialectOf, type Shared } from './make-hook-dialect.ts';
import { Fields, type Handler } from './reading/handler.ts';
import { type DialectEntry, type DialectProblem, matcherFlaw } from './reading/read-file.ts';
import { readDialectFiles } from './reading/read-files.ts';
import type { Plugin } from './rules.ts';
import { toolKinds, type Vocabulary, vocabularyOf } from './tools/vocabulary.ts';

/** A hook of a file, as our engine takes it. */
export interface DialectHook {
  /** The event of ours. */
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly sequential: boolean;
  readonly config: JsonObject;
  /** Why it can never run. */
  readonly flaw?: string | undefined;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly dialect: HookDialect;
}

export interface DialectFile {
  readonly path: string;
  readonly realPath: string;
  readonly stats: FileOwnership;
  /** Where a file of the project really lies, when that is out of it. */
  readonly strayedTo?: string | undefined;
  readonly scope: Scope;
  /** The plugin or extension that brings it. */
  readonly plugin?: Plugin | undefined;
  readonly title: string;
  readonly hooks: readonly DialectHook[];
  readonly problems: readonly DialectProblem[];
  /** Why none of its hooks runs. */
  readonly off?: string | undefined;
  /** These are those of its hooks that are switched off one by one. */
  readonly isPart?: true;
}

export interface LoadedDialects {
  readonly files: readonly DialectFile[];
  /** What lies where a file may be and is none that can be read. */
  readonly problems: readonly DialectProblem[];
  /** Where files were looked for. */
  readonly paths: readonly string[];
  readonly unread: readonly UnreadFile[];
}

/** What hooks of each agent have set; the caller keeps it across reloads. */
export type DialectMemory = Map<string, SessionVariables>;

interface Wanted {
  /** An older version that was named; its rules are not known. */
  readonly unknown?: string | undefined;
  readonly dialect: Dialect;
  readonly version: string;
  readonly mode: DialectMode;
}

const isMode = (mode: unknown): mode is DialectMode => mode === 'strict' || mode === 'faithful';

/** One agent of the option: whether its hooks are read and how, or what is wrong with its value. */
type Wish =
  | { readonly wish: DialectsOption[string]; readonly wanted: Wanted | undefined }
  | { readonly code: 'unknown-name' | 'invalid-value'; readonly mistake: string };

/** Reads one agent of the option, in code or in a file. */
export const readWish = (name: string, wish: unknown, key = 'agents'): Wish => {
  const dialect = dialectNamed(name);
  const wrong = (mistake: string): Wish => ({ code: 'invalid-value', mistake });
  if (dialect === undefined) return { code: 'unknown-name', mistake: `${key}: ${noSuchAgent(name)}` };
  if (wish === false || wish === undefined) return { wish: false, wanted: undefined };
  if (wish !== true && !isRecord(wish))
    return wrong(`${key}.${name} must be true, false or {version?, mode?}; got ${describeValue(wish)}`);
  const { version = dialect.latest, mode = 'strict' } = wish === true ? {} : wish;
  if (typeof version !== 'string' || !/^\d+(?:\.\d+)*$/.test(version))
    return wrong(`${key}.${name}.version must be a text such as "${dialect.latest}"; got ${describeValue(version)}`);
  if (!isMode(mode)) return wrong(`${key}.${name}.mode must be "strict" or "faithful"; got ${describeValue(mode)}`);
  const isKnown = isAtLeast(version, dialect.oldest);
  const wanted = { dialect, version: isKnown ? version : dialect.oldest, mode, unknown: isKnown ? undefined : version };
  return { wish: { version, mode }, wanted };
};

/** The configured agents; an unknown name is an error. */
const wantedDialects = (option: unknown): Wanted[] => {
  if (!isRecord(option))
    throw invalidArgument(`agents must be an object from names to true or options; got ${describeValue(option)}`);
  return Object.entries(option).flatMap(([name, said]) => {
    const read = readWish(name, said);
    if ('mistake' in read) throw invalidArgument(read.mistake);
    return read.wanted ?? [];
  });
};

/** Agents whose files a wanted agent runs as well: read by the rules of the agent that they were written for. */
const broughtAlong = (wanted: readonly Wanted[], option: DialectsOption): Wanted[] =>
  wanted.flatMap(({ dialect: { alsoReads = [] }, mode }) =>
    alsoReads.flatMap(({ files, as, except = [] }): Wanted[] => {
      const other = dialectNamed(as);
      if (other === undefined || option[as] !== undefined) return [];
      const isTaken = ({ path }: Dialect['files'][number]): boolean => typeof path === 'string' && files.includes(path);
      const events: Dialect['events'] = (version) => ({
        ...other.events(version),
        ...Object.fromEntries(except.map((event) => [event, { blocks: false }])),
      });
      const dialect = { ...other, files: other.files.filter(isTaken), events };
      return [{ dialect, version: other.latest, mode }];
    }),
  );

/** How the host calls its tools. */
const hostVocabulary = (option: ToolsOption | undefined): Vocabulary | undefined => {
  if (option === undefined) return undefined;
  if (typeof option === 'string') {
    const dialect = dialectNamed(option);
    if (dialect !== undefined) return dialect.tools;
    throw invalidArgument(`tools: ${noSuchAgent(option)}`);
  }
  const isKind = (entry: unknown): boolean => typeof entry === 'string' || isRecord(entry);
  if (!isRecord(option) || !Object.values(option).every(isKind)) {
    throw invalidArgument(
      `tools must be a record from names of tools to their kinds, such as {run_shell: "shell", deploy: "other"}, or the name of an agent; got ${describeValue(option)}`,
    );
  }
  const { vocabulary, unknown, unknownArgs } = vocabularyOf(option);
  if (unknownArgs.length > 0) throw invalidArgument(`tools: ${unknownArgs.join('; ')}`);
  if (unknown.length === 0) return vocabulary;
  throw invalidArgument(
    `tools has kinds that do not exist: ${unknown.join(', ')}; known are ${Object.keys(toolKinds).join(', ')}, other`,
  );
};

/** The tools of a host that names them: name → whether it is a shell. Those of an agent may not be all that it has. */
export const toolsNamed = (option: ToolsOption): ReadonlyMap<string, boolean> | undefined => {
  const shells = hostVocabulary(option)?.tools.filter(({ kind }) => kind === 'shell') ?? [];
  if (typeof option === 'string' || Object.keys(option).length === 0) return undefined;
  return new Map(Object.keys(option).map((name) => [name, shells.some(({ names }) => names.includes(name))]));
};

const hookOf = (
  entry: DialectEntry,
  wanted: Wanted,
  tools: Vocabulary | undefined,
  place: SearchLocations,
  shared: Shared,
): DialectHook[] => {
  const { rule, handler, refusal, event, matcher, path, line, column } = entry;
  const moment = rule === undefined ? undefined : momentOf(rule);
  if (rule === undefined || moment === undefined) return [];
  const { dialect, mode, version } = wanted;
  const options = { mode, version, tools, projectDir: place.projectDir, matchRegex };
  const hook = new ForeignHook(dialect, entry, rule, options);
  // Only where its agent has a word for it does an entry say how it runs beside others.
  const sequential = dialect.order === 'as-asked' ? entry.sequential : dialect.order === 'sequential';
  const leftOut = hook.matcher.leftOut === true ? hook.matcher.problem : undefined;
  const flaw = refusal?.message ?? leftOut;
  const config =
    handler === undefined
      ? { type: 'command', command: String(entry.written.command ?? event) }
      : configOf(entry, handler, wanted, place);
  const moments = [moment, ...(rule.alsoAt === undefined ? [] : [rule.alsoAt])];
  return moments.map((moment) => {
    const ofMoment = { event: moment, matcher, sequential, config, flaw, path, line, column };
    return { ...ofMoment, dialect: hookDialectOf(hook, shared) };
  });
};

/** Reports each event that does not exist here once: its hooks would be missing in silence. */
const missingMoments = (entries: readonly DialectEntry[], title: string): DialectProblem[] =>
  entries
    .filter(({ rule }) => rule !== undefined && momentOf(rule) === undefined)
    .map(({ event, file, path, line, column }) => ({
      severity: 'warning' as const,
      file,
      path,
      line,
      column,
      message: `${title}'s ${event} has no moment here; the hook does not run`,
      fix: `let ${title} itself run it, or put the hook under an event that there is`,
    }));

/** Files of a project switch off only the project's own hooks, except in faithful mode where the agent does more. */
const readAs = ({ dialect, version, mode }: Wanted, files: readonly AgentFile[], { platform }: SearchLocations) => {
  const options = { version, platform };
  const together = readDialectFiles(dialect, files, options);
  if (mode === 'faithful') return together;
  const ofOthers = files.filter(({ scope }) => scope !== 'project');
  const alone = new Map(readDialectFiles(dialect, ofOthers, options).map((one) => [one.file, one]));
  return together.map((one) => alone.get(one.file) ?? one);
};

/** A file that cannot be made out is read as it was when it last could be. */
const readWhole = (wanted: Wanted, found: readonly AgentFile[], place: SearchLocations) => {
  const { lastTexts } = place;
  const read = readAs(wanted, found, place);
  const broken = new Map(read.flatMap(({ file, reading }) => (reading.root === undefined ? [[file, reading]] : [])));
  for (const { path, text, stats } of found.filter((file) => !broken.has(file))) lastTexts?.set(path, { text, stats });
  const unread = [...broken].flatMap(
    ([
      { path, scope, plugin },
      {
        problems: [problem],
      },
    ]): UnreadFile[] =>
      lastTexts?.has(path) === true
        ? []
        : [{ path, scope, plugin, line: problem?.line ?? 1, message: problem?.message ?? '' }],
  );
  const isBehind = ({ path }: AgentFile): boolean => lastTexts?.has(path) === true;
  if (![...broken.keys()].some(isBehind)) return { files: read, unread };
  const known = found.map((file) => (broken.has(file) ? { ...file, ...lastTexts?.get(file.path) } : file));
  const files = readAs(wanted, known, place).map((one, index) => {
    const file = found[index];
    const now = file === undefined || !isBehind(file) ? undefined : broken.get(file);
    if (now === undefined) return one;
    const problems = now.problems.map((problem) => ({ ...problem, message: problem.message + STAYS }));
    return { ...one, reading: { ...one.reading, problems: [...problems, ...one.reading.problems] } };
  });
  return { files, unread };
};

/** What the agent that asks finds in files of others and runs by itself, as it cannot be told not to. */
const runByItself = async (name: string | undefined, place: SearchLocations): Promise<OneReading[]> => {
  const dialect = name === undefined ? undefined : dialectNamed(name);
  if (dialect === undefined) return [];
  const { title, files } = dialect;
  const always = { ...dialect, files: files.filter(({ of, isOptional }) => of !== undefined && isOptional !== true) };
  if (always.files.length === 0) return [];
  const found = await findDialectFiles(always, place);
  const read = readDialectFiles(dialect, found.files, { platform: place.platform });
  return read.map(({ file, reading }) => ({
    title,
    file,
    reading,
    off: reading.off ?? reading.void,
    isElsewhere: true,
  }));
};

/** What runs once, though two of the agents that were asked for read it, is said once for each file. */
const takenOver = (
  taken: readonly DialectEntry[],
  one: OneReading,
  elsewhere: ReturnType<typeof readElsewhere>,
): DialectProblem[] => {
  const [first] = taken;
  const reader = first === undefined ? undefined : elsewhere(one, first);
  if (first === undefined || reader === undefined) return [];
  const { file, path, line, column } = first;
  const message = `${one.title} reads this file, too: what both would run runs once, as a hook of ${reader}`;
  const fix = 'nothing has to be done; ask for one of the two alone, and this is not said';
  return [{ severity: 'warning', file, path, line, column, message, fix }];
};

const startables = ({ path: file, title, hooks, off }: DialectFile): Startable[] =>
  off === undefined
    ? hooks.map(({ config: { command }, flaw, ...hook }) => ({
        ...hook,
        title,
        file,
        command: flaw === undefined ? textOf(command) : undefined,
      }))
    : [];

/** A version is never read by newer rules without a word. */
const tooOld = ({ dialect: { name, title, oldest } }: Wanted, version: string): DialectProblem => ({
  severity: 'error',
  file: '',
  path: `agents.${name}.version`,
  line: 1,
  column: 1,
  message: `rules of ${title} ${version} are not known any more; its hooks are read by those of ${oldest}, the oldest that are`,
  fix: `name the version that is installed, or leave it out`,
});

/** Reads the hooks of other agents that are to run here. Nothing is started, and nothing that is wrong is thrown. */
export const loadDialects = async (
  option: DialectOptions,
  place: SearchLocations,
  memory: DialectMemory = new Map(),
): Promise<LoadedDialects> => {
  const tools = hostVocabulary(option.tools);
  const files: DialectFile[] = [];
  const problems: DialectProblem[] = [];
  const paths: string[] = [];
  const unread: UnreadFile[] = [];
  const all: (Wanted & OneReading)[] = [];
  const asked = wantedDialects(option.dialects);
  for (const wanted of [...asked, ...broughtAlong(asked, option.dialects)]) {
    const { dialect, version } = wanted;
    if (wanted.unknown !== undefined) problems.push(tooOld(wanted, wanted.unknown));
    paths.push(...dialect.files.flatMap((rule) => pathsOf(rule, place)));
    const found = await findDialectFiles(dialect, place, version, wanted.mode);
    problems.push(...found.problems);
    paths.push(...found.pluginPaths);
    const read = readWhole(wanted, found.files, place);
    unread.push(...found.unread, ...read.unread);
    for (const one of read.files) {
      const off = one.reading.off ?? (wanted.mode === 'faithful' ? one.reading.void : undefined);
      all.push({ ...wanted, title: dialect.title, ...one, off });
    }
  }
  const elsewhere = readElsewhere([...(await runByItself(option.askedBy, place)), ...all]);
  let order = 0;
  const sharedBy = ({ name }: Dialect): Shared => {
    const variables = memory.get(name) ?? new SessionVariables();
    memory.set(name, variables);
    order += 1;
    return { variables, env: place.env, order };
  };
  for (const one of all) {
    const { dialect, title, file, reading, off } = one;
    const { path, realPath, stats, strayedTo, scope } = file;
    const base = { path, realPath, stats, strayedTo, scope, title, plugin: file.plugin };
    const hooksOf = (entries: readonly DialectEntry[]): DialectHook[] =>
      entries.flatMap((entry) => hookOf(entry, one, tools, place, sharedBy(dialect)));
    const taken = reading.entries.filter((entry) => elsewhere(one, entry) !== undefined);
    const entries = reading.entries.filter((entry) => elsewhere(one, entry) === undefined);
    files.push({
      ...base,
      hooks: hooksOf(entries.filter((entry) => off !== undefined || entry.off === undefined)),
      problems: [...reading.problems, ...missingMoments(entries, title), ...takenOver(taken, one, elsewhere)],
      off,
    });
    if (off !== undefined) continue;
    for (const why of new Set(entries.flatMap((entry) => entry.off ?? []))) {
      const hooks = hooksOf(entries.filter((entry) => entry.off === why));
      files.push({ ...base, hooks, problems: [], off: why, isPart: true });
    }
  }
  problems.push(...sameLines(files.flatMap(startables)));
  return { files, problems, paths, unread };
};

/** An entry of our own settings that names the agent its script was written for. */
export interface AgentEntry extends Pick<DialectEntry, 'file' | 'scope' | 'path' | 'line' | 'column' | 'matcher'> {
  /** Our event. */
  readonly event: string;
  readonly sequential: boolean;
  /** The entry as it stands in the file, times in milliseconds. */
  readonly written: Readonly<JsonObject>;
}

/** The hook of the agent, or what is wrong with which member of the entry. */
export type AgentEntryReading =
  | { readonly hook: DialectHook }
  | { readonly code: 'unknown-name' | 'invalid-value'; readonly key: string; readonly mistake: string };

/** The event by the agent's name: the one that is named, else its first for our event and any tool. */
const eventNamed = (dialect: Dialect, version: string, moment: string, wish: string | undefined) => {
  const found = Object.entries(dialect.events(version)).filter(
    ([, rule]) => rule.moment === moment || rule.alsoAt === moment,
  );
  const general = found.find(([, rule]) => rule.moment === moment && rule.kinds === undefined);
  const named = wish === undefined ? (general ?? found[0]) : found.find(([name]) => name === wish);
  return { named, names: found.map(([name]) => name) };
};

/** Members that mean the same to us and to every agent. One of another form is reported where the entry is read. */
const membersOf = (written: Readonly<JsonObject>): Partial<Handler> => {
  const fields = new Fields(written);
  return {
    name: fields.text('name'),
    statusMessage: fields.text('statusMessage'),
    args: fields.texts('args'),
    shell: fields.text('shell'),
    cwd: fields.text('cwd'),
    env: fields.record('env'),
    headers: fields.record('headers'),
    allowedEnvVars: fields.texts('allowedEnvVars'),
  };
};

/** Entries of our own settings as hooks of the agents that they name. */
export class AgentEntries {
  readonly #option: DialectOptions;
  readonly #place: SearchLocations;
  readonly #memory: DialectMemory;
  /** Our own files come before those of agents, so their hooks do as well. */
  #order = -1_000_000;

  constructor(option: DialectOptions, place: SearchLocations, memory: DialectMemory) {
    this.#option = option;
    this.#place = place;
    this.#memory = memory;
  }

  #shared({ name }: Dialect): Shared {
    const variables = this.#memory.get(name) ?? new SessionVariables();
    this.#memory.set(name, variables);
    this.#order += 1;
    return { variables, env: this.#place.env, order: this.#order };
  }

  read({ written, event: moment, ...spot }: AgentEntry): AgentEntryReading {
    const { agent = '', agentVersion, agentEvent, type = 'command', command, url, timeout, maxStops } = written;
    const wrong = (key: string, mistake: string): AgentEntryReading => ({ code: 'invalid-value', key, mistake });
    const dialect = dialectNamed(String(agent));
    if (dialect === undefined) return { code: 'unknown-name', key: 'agent', mistake: noSuchAgent(String(agent)) };
    const wish = this.#option.dialects[dialect.name];
    const asked = typeof wish === 'object' ? wish : {};
    const version = textOf(agentVersion) ?? asked.version ?? dialect.latest;
    if (!isAtLeast(version, dialect.oldest))
      return wrong(
        'agentVersion',
        `rules of ${dialect.title} ${version} are not known; the oldest are those of ${dialect.oldest}`,
      );
    const { named, names } = eventNamed(dialect, version, moment, textOf(agentEvent));
    if (named === undefined) {
      const what =
        agentEvent === undefined ? `no event for ${moment}` : `no event "${String(agentEvent)}" for ${moment}`;
      const known = names.length === 0 ? '' : `; it has ${names.join(', ')}`;
      return wrong(agentEvent === undefined ? 'agent' : 'agentEvent', `${dialect.title} has ${what}${known}`);
    }
    const [event, rule] = named;
    if (Array.isArray(written.if))
      return wrong('if', `hooks of ${dialect.title} have one condition, written as a text`);
    if (written.if !== undefined && dialect.fits === undefined)
      return wrong('if', `hooks of ${dialect.title} have no condition; use a matcher, or leave it out`);
    const byType: Readonly<Record<string, JsonObject>> = {
      http: { type, url },
      prompt: { type, prompt: written.prompt },
      mcp: { type: 'mcp_tool', server: written.server, tool: written.tool, input: written.input },
    };
    const base = byType[String(type)] ?? { type, [dialect.writes.line]: command };
    const condition = textOf(written.if);
    const { handler, problem } = dialect.readHandler(condition === undefined ? base : { ...base, if: condition }, {
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
      handler: handler && {
        ...handler,
        ...membersOf(written),
        condition,
        timeoutMs: typeof timeout === 'number' && timeout > 0 ? timeout : handler.timeoutMs,
        failClosed: written.onFault === 'deny' || handler.failClosed,
        isAsync: written.background === true || handler.isAsync,
        ...(typeof maxStops === 'number' || maxStops === null ? { loopLimit: maxStops } : {}),
      },
    };
    const wanted = { dialect, version, mode: asked.mode ?? 'strict' };
    const hooks = hookOf(entry, wanted, hostVocabulary(this.#option.tools), this.#place, this.#shared(dialect));
    const hook = hooks.find((one) => one.event === moment);
    if (hook === undefined) return wrong('agent', `${dialect.title} has no event for ${moment}`);
    const { matcher } = spot;
    const flaw = matcher === undefined ? undefined : matcherFlaw(dialect, rule, event, version, matcher);
    return { hook: flaw === undefined ? hook : { ...hook, dialect: { ...hook.dialect, matcherProblem: flaw } } };
  }
}

const PROJECT = '{project}/';

/** Files that stand at the top of a project of these agents, relative to it. */
export const projectMarks = (option: DialectsOption): string[] =>
  wantedDialects(option)
    .flatMap(({ dialect }) => dialect.files)
    .flatMap(({ path }) => (typeof path === 'string' && path.startsWith(PROJECT) ? [path.slice(PROJECT.length)] : []))
    .map((path) => (path.includes('*') ? dirname(path) : path));
