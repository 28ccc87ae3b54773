// Imports the hooks of one agent into hookwright's settings or another agent's; returns the changes and writes nothing.
import { dirname, join, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { catalogue, isHookEventName } from '../events/index.ts';
import { escapeRegex, isRecord, omitUndefined } from '../kit/index.ts';
import { findHomeDirectory, readRegularFile } from '../kit/node.ts';
import { isHookwrightLine } from '../registry/index.ts';
import { engineMembers, findGeneralEvent, findOurEvent, listOurEvents } from './agent-events.ts';
import { requireDialect, requireVersion } from './agent-table.ts';
import { type Conversion, convertHooks, createLoss, createTarget, hookwrightTarget, type Loss } from './convert.ts';
import { addHooksToText, resolveAgentFilePath } from './edit-agent-file.ts';
import {
  type AgentFile,
  createUnreadableProblem,
  findAgentFiles,
  findSearchLocations,
  readTextFile,
  type SearchLocations,
} from './find-agent-files.ts';
import { listStdinMembers } from './judging/drift.ts';
import { fillInPluginPath } from './judging/judge-hooks.ts';
import { createWarning } from './reading/entry.ts';
import type { Handler } from './reading/handler.ts';
import { type DialectEntry, type DialectProblem, type ParsedAgentFile, readAgentFiles } from './reading/read-file.ts';
import type { EventRule, JsonObject } from './rule-types.ts';
import type { AgentRules } from './rules.ts';

export interface ImportOptions {
  readonly from: string;
  /** The agent that gets the hooks; hookwright itself by default. */
  readonly to?: string | undefined;
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly version?: string | undefined;
  /** True to import the hooks as hookwright's. By default they stay hooks of their agent. */
  readonly rewrite?: boolean | undefined;
}

export interface FileChange {
  readonly path: string;
  /** Absent if the file does not exist. */
  readonly before?: string;
  readonly after: string;
  readonly hooks: number;
}

export interface Import {
  readonly changes: readonly FileChange[];
  readonly losses: readonly Loss[];
  readonly problems: readonly DialectProblem[];
  readonly files: readonly string[];
  /** Data folders of plugins, which only the agent creates. */
  readonly dataFolders: readonly string[];
  /** Imported hooks that can deny a tool call, but let it run if they fail. */
  readonly open: readonly string[];
  /** The number of hooks that can be imported, including those of earlier imports. */
  readonly convertible: number;
}

const findTargetPath = (to: AgentRules | undefined, scope: 'project' | 'user', place: SearchLocations): string =>
  to === undefined
    ? join(scope === 'project' ? place.projectDir : place.home, '.hookwright', 'settings.json')
    : resolveAgentFilePath(to, scope, place);

const planChange = (path: string, settings: JsonObject): FileChange | DialectProblem | undefined => {
  const found = readTextFile(path);
  // A file that cannot be read must not be overwritten.
  if ('trouble' in found) return createUnreadableProblem(path, `${found.trouble}; nothing is brought into it`);
  const before = 'text' in found ? found.text : undefined;
  const edited = addHooksToText(before ?? '', settings);
  if ('trouble' in edited) return createUnreadableProblem(path, `${edited.trouble}; nothing is brought into it`);
  if (edited.count === 0) return undefined;
  return { path, ...(before === undefined ? {} : { before }), after: edited.text, hooks: edited.count };
};

/** A link in a project can point to any file, whose hooks would become the project's own. */
const reportOutsideProject = ({ path, realPathOutside }: AgentFile): DialectProblem[] =>
  realPathOutside === undefined
    ? []
    : [createUnreadableProblem(path, `is outside the project, at ${realPathOutside}; it is not imported`)];

const listCommands = (group: unknown): [string, unknown][] =>
  isRecord(group) && Array.isArray(group.hooks)
    ? group.hooks.flatMap((entry: unknown): [string, unknown][] =>
        isRecord(entry) && typeof entry.command === 'string' ? [[entry.command, entry.agent]] : [],
      )
    : [];

const reportDoubleRuns = (
  { path, before = '', after }: FileChange,
  settings: Conversion['settings'],
): DialectProblem[] => {
  const root: unknown = parse(before);
  const own = isRecord(root) && isRecord(root.hooks) ? root.hooks : {};
  return Object.entries(settings.hooks ?? {}).flatMap(([event, groups]) => {
    const old = own[event];
    const there = (Array.isArray(old) ? old : []).flatMap(listCommands);
    return groups.flatMap(listCommands).flatMap(([command, agent]) => {
      const older = there.find(
        ([other, whose]) => other === command && (whose === undefined) !== (agent === undefined),
      );
      if (older === undefined) return [];
      const [, whose] = older;
      const line = after.slice(0, Math.max(0, after.indexOf(JSON.stringify(command)))).split('\n').length;
      const member = whose === undefined ? 'no "agent"' : `"agent": ${JSON.stringify(whose)}`;
      return [
        createWarning(
          { file: path, path: `hooks.${event}`, line },
          `hooks.${event} has ${command} already, as a hook of ${String(whose ?? 'hookwright')}: it would run twice`,
          `remove the older entry, which has ${member}`,
        ),
      ];
    });
  });
};

const listHooksFailingOpen = (settings: Conversion['settings']): string[] =>
  Object.entries(settings.hooks ?? {}).flatMap(([event, groups]) => {
    const supports: readonly string[] = isHookEventName(event) ? catalogue[event].supports : [];
    if (!supports.includes('tool_input')) return [];
    const hooks: readonly unknown[] = groups.flatMap((group) => (Array.isArray(group.hooks) ? group.hooks : []));
    return hooks.flatMap((hook) =>
      isRecord(hook) && hook.onFault === undefined && hook.background !== true
        ? [String(hook.name ?? hook.command ?? hook.url ?? hook.type)]
        : [],
    );
  });

/** An import from the other agent adds the same hooks, which would then run twice. */
const reportFileOfOtherAgent = (
  { title }: AgentRules,
  { file: { path, of = '' }, reading }: ParsedAgentFile<AgentFile>,
): DialectProblem[] =>
  reading.entries.length === 0
    ? []
    : [
        createWarning(
          { file: path },
          `${title} reads this file of ${of} as well; its hooks are not brought with those of ${title}`,
          `hookwright import --from ${of} brings them`,
        ),
      ];

/** The engine reads Gemini CLI's files without an import, so imported hooks would run twice. */
const reportFileReadAnyway = (
  { isOurs }: AgentRules,
  { file: { path }, reading: { entries } }: ParsedAgentFile<AgentFile>,
): DialectProblem[] => {
  const [entry] = entries;
  if (isOurs !== true || entry === undefined) return [];
  const message = 'hookwright reads this file without an import; after it, each of these hooks runs twice';
  return [
    createWarning({ file: path, line: entry.line }, message, 'remove the hooks from this file, or do not import it'),
  ];
};

const reportDisabled = (entry: DialectEntry, off: string | undefined): Loss[] =>
  off === undefined
    ? []
    : [createLoss(entry, 'left-out', `it is switched off by ${off}; switch it on first to bring it`)];

const fillInPlugin = (entry: DialectEntry, dialect: AgentRules): DialectEntry => {
  const { handler, plugin } = entry;
  if (handler === undefined || plugin === undefined) return entry;
  const { command, args, cwd, env } = handler;
  const own = {
    command: fillInPluginPath(command, entry, dialect),
    args: args?.map((word) => fillInPluginPath(word, entry, dialect, true) ?? word),
    cwd: cwd ?? (dialect.process.cwd === 'settings' ? plugin.root : undefined),
    env: { ...dialect.plugins?.variables(plugin), ...env },
  };
  return { ...entry, handler: { ...handler, ...own } };
};

/** An update of the plugin breaks imported hooks, whose paths contain the folder of the current version. */
const reportPluginVersion = (
  { title, plugins: rule }: AgentRules,
  { file: { path, plugin }, reading: { entries } }: ParsedAgentFile<AgentFile>,
): DialectProblem[] => {
  if (rule === undefined || plugin === undefined || entries.length === 0) return [];
  const { id, version, root } = plugin;
  const message = `hooks of the ${rule.noun} ${[id, version].join(' ').trim()} are brought as it is now, with its files in ${root}`;
  return [createWarning({ file: path }, message, `import them again after ${title} has updated it`)];
};

/** A hook that would lose something stays a hook of its agent. For other hooks, lists the changes for their scripts. */
const rewriteHooks = (
  entries: readonly DialectEntry[],
  from: AgentRules,
  version: string | undefined,
  projectDir: string,
): Conversion => {
  const hooks: Record<string, JsonObject[]> = {};
  const losses: Loss[] = [];
  let count = 0;
  for (const entry of entries) {
    const own = convertHooks([entry], from, hookwrightTarget);
    const why = own.losses.find(({ kind }) => kind === 'changed')?.message;
    const one = why === undefined ? own : keepAsAgentHooks([entry], from, version);
    if (why !== undefined) losses.push(createLoss(entry, 'kept', `it stays a hook of ${from.title}: ${why}`));
    const changes = why === undefined && one.count > 0 ? findScriptChanges(from, entry, projectDir) : [];
    losses.push(...one.losses, ...changes.map((message) => createLoss(entry, 'changed', message)));
    count += one.count;
    for (const [event, groups] of Object.entries(one.settings.hooks ?? {}))
      hooks[event] = [...(hooks[event] ?? []), ...groups];
  }
  return { settings: { hooks }, count, losses };
};

/** Plans an import into hookwright's settings or another agent's. Writes nothing. */
export const importHooks = async (options: ImportOptions): Promise<Import> => {
  const from = requireDialect(options.from);
  const to = options.to === undefined || options.to === 'hookwright' ? undefined : requireDialect(options.to);
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = resolve(options.home ?? findHomeDirectory());
  const place = await findSearchLocations(from, { cwd, home, env: options.env ?? process.env });
  const { platform } = place;
  const version = requireVersion(from, options.version);
  const found = await findAgentFiles(from, place, version);
  const ours = found.files.filter(({ scope }) => scope !== 'system');
  const inside = ours.filter(({ realPathOutside }) => realPathOutside === undefined);
  const files = inside.filter(({ of }) => of === undefined || to !== undefined);
  const ofOthers = inside.filter((file) => !files.includes(file));
  const entries: DialectEntry[] = [];
  const losses: Loss[] = [];
  const problems: DialectProblem[] = [
    ...found.problems,
    ...ours.flatMap(reportOutsideProject),
    ...readAgentFiles(from, ofOthers, { version, platform }).flatMap((one) => reportFileOfOtherAgent(from, one)),
  ];
  for (const read of readAgentFiles(from, files, { version, platform })) {
    const { reading } = read;
    problems.push(
      ...reading.problems,
      ...(to === undefined ? reportFileReadAnyway(from, read) : []),
      ...reportPluginVersion(from, read),
    );
    const on = reading.entries.filter(({ off }) => (reading.off ?? off) === undefined);
    entries.push(...on.map((entry) => fillInPlugin(entry, from)));
    losses.push(...reading.entries.flatMap((entry) => reportDisabled(entry, reading.off ?? entry.off)));
  }
  const convert = (some: readonly DialectEntry[]): Conversion => {
    if (to !== undefined) return convertHooks(some, from, createTarget(to));
    return options.rewrite === true
      ? rewriteHooks(some, from, options.version, place.projectDir)
      : keepAsAgentHooks(some, from, options.version);
  };
  const changes: FileChange[] = [];
  const open: string[] = [];
  let convertible = 0;
  for (const scope of ['project', 'user'] as const) {
    const { settings, count, losses: lost } = convert(entries.filter((entry) => entry.scope === scope));
    losses.push(...lost);
    convertible += count;
    const change = count === 0 ? undefined : planChange(findTargetPath(to, scope, place), settings);
    if (change === undefined) continue;
    if ('after' in change) {
      changes.push(change);
      if (to !== undefined) continue;
      problems.push(...reportDoubleRuns(change, settings));
      open.push(...listHooksFailingOpen(settings));
    } else problems.push(change);
  }
  const dataFolders = from.plugins?.data === undefined ? [] : entries.flatMap(({ plugin }) => plugin?.data ?? []);
  return {
    changes,
    losses,
    problems,
    files: files.map(({ path }) => path),
    dataFolders: [...new Set(dataFolders)],
    open: [...new Set(open)],
    convertible,
  };
};

const resolveCwd = (dialect: AgentRules, { scope, file }: DialectEntry, { cwd }: Handler): string | undefined =>
  cwd ?? (dialect.process.cwd === 'settings' && scope !== 'project' ? dirname(file) : undefined);

const toHookSettings = (
  entry: DialectEntry,
  handler: Handler,
  rule: EventRule,
  moment: string,
  dialect: AgentRules,
  version: string | undefined,
) => {
  const { failClosed, isAsync, condition, loopLimit, contextTokens: _lost, timeoutMs, ...members } = handler;
  const isUsual = findGeneralEvent(dialect.events(version ?? dialect.latest), moment) === entry.event;
  return omitUndefined({
    ...members,
    cwd: resolveCwd(dialect, entry, handler),
    timeout: timeoutMs,
    onFault: failClosed === true && rule.blocks ? 'deny' : undefined,
    if: condition,
    background: isAsync === true ? true : undefined,
    maxStops: loopLimit,
    agent: dialect.name,
    agentVersion: version,
    agentEvent: isUsual ? undefined : entry.event,
  });
};

/** Hooks that stay hooks of their agent keep their stdin, environment and answers. */
const keepAsAgentHooks = (
  entries: readonly DialectEntry[],
  dialect: AgentRules,
  version: string | undefined,
): Conversion => {
  const events: Record<string, JsonObject[]> = {};
  const losses: Loss[] = [];
  let count = 0;
  for (const entry of entries) {
    const { handler, rule, refusal, event, matcher, sequential } = entry;
    const lose = (kind: Loss['kind'], message: string): number => losses.push(createLoss(entry, kind, message));
    if (handler === undefined || rule === undefined) {
      lose('left-out', refusal?.message ?? `"${event}" is not an event`);
      continue;
    }
    // The engine already runs hookwright's hooks, so a command line that starts hookwright is dropped.
    if (isHookwrightLine(handler.command)) continue;
    if (findOurEvent(rule) === undefined) {
      lose('left-out', `hookwright has no event like ${event}`);
      continue;
    }
    if (handler.contextTokens !== undefined)
      lose('changed', 'the limit on the length of its context is not kept: the model gets all of it');
    const group = omitUndefined({ matcher, sequential: sequential ? true : undefined });
    for (const moment of listOurEvents(rule)) {
      const written = toHookSettings(entry, handler, rule, moment, dialect, version);
      events[moment] = [...(events[moment] ?? []), { ...group, hooks: [written] }];
    }
    count += 1;
  }
  return { settings: { hooks: events }, count, losses };
};

/** Scripts that people write are far shorter. */
const MAX_SCRIPT_BYTES = 262_144;

const ourAnswerMembers: readonly string[] = [
  'decision',
  'reason',
  'continue',
  'stopReason',
  'systemMessage',
  'suppressOutput',
  'hookSpecificOutput',
];

const readScripts = (command: string, projectDir: string): readonly string[] => {
  const words = command.split(/\s+/).map((word) => word.replaceAll(/["']/g, '').replace(/^\$\{?\w+\}?\//, ''));
  return words.slice(0, 8).map((word) => {
    if (word === '' || word.startsWith('-')) return '';
    const found = readRegularFile(resolve(projectDir, word), { maxBytes: MAX_SCRIPT_BYTES });
    return 'bytes' in found && !found.bytes.includes(0) ? found.bytes.toString('utf8') : '';
  });
};

const mentionsMember = (text: string, key: string): boolean =>
  new RegExp(`(?<!tool_input)(?<!toolArgs)\\.${escapeRegex(key)}\\b|["']${escapeRegex(key)}["']`).test(text);

const mentionsWord = (text: string, word: string): boolean =>
  new RegExp(`(?<!\\w)${escapeRegex(word)}(?!\\w)`).test(text);

const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const listUnreadAnswerMembers = ({ host, latest }: AgentRules, event: string, rule: EventRule): readonly string[] => {
  const { stdout } = host.write({ decision: 'deny', reason: '-', message: '-' }, { event, rule, version: latest });
  return isRecord(stdout) ? Object.keys(stdout).filter((key) => !ourAnswerMembers.includes(key)) : [];
};

const givesPlainTextToModel = (dialect: AgentRules, event: string, rule: EventRule): boolean => {
  const context = { event, rule, version: dialect.latest, failClosed: false };
  const { said } = dialect.readAnswer({ exitCode: 0, stdout: 'a text', stderr: '' }, context);
  return said?.context !== undefined;
};

const findScriptChanges = (dialect: AgentRules, entry: DialectEntry, projectDir: string): string[] => {
  const { event, rule, handler } = entry;
  const { moment } = rule ?? {};
  if (rule === undefined || moment === undefined || handler?.command === undefined) return [];
  const { command, args = [] } = handler;
  const line = [command, ...args].join(' ');
  const scripts = readScripts(line, projectDir);
  const text = [line, ...scripts].join('\n');
  const sample = isHookEventName(moment) ? Object.keys(catalogue[moment].sample) : [];
  const missing = [...(listStdinMembers(dialect, event) ?? [])].filter(
    (key) => !sample.includes(key) && !engineMembers.has(key) && mentionsMember(text, key),
  );
  const foreign = moment !== event && mentionsWord(text, event);
  const tools = [...new Set(dialect.tools.tools.flatMap(({ names }) => names))].filter((name) =>
    mentionsMember(text, name),
  );
  const { variable } = dialect.process.environmentFile ?? {};
  const named = variable !== undefined && [...args, ...scripts].some((one) => mentionsWord(one, variable));
  const printed = listUnreadAnswerMembers(dialect, event, rule).filter((key) => mentionsWord(text, key));
  return [
    ...(missing.length === 0 ? [] : [`its script reads ${quoteNames(missing)}, which hookwright does not send`]),
    ...(foreign ? [`its script names the event ${event}, which is ${moment} here`] : []),
    ...(tools.length === 0
      ? []
      : [`its script names ${quoteNames(tools)}; the agent's own names of tools arrive here`]),
    ...(named ? [`its script names ${variable}, which is ${hookwrightTarget.environmentFile?.variable} here`] : []),
    ...(printed.length === 0 ? [] : [`its script prints ${quoteNames(printed)}, which hookwright does not read`]),
    ...(givesPlainTextToModel(dialect, event, rule)
      ? ['plain text that it prints goes to the user here, not to the model; print JSON with additionalContext']
      : []),
  ];
};
