// Converts hooks of one agent into hooks of another agent, and lists the properties that are lost or changed.
import { dirname, resolve } from 'node:path';
import { isHookwrightLine } from '../registry/index.ts';
import { findGeneralEvent } from './agent-events.ts';
import { convertMatcher, type MatcherTarget } from './convert-matcher.ts';
import { hasHandlerGroups } from './edit-agent-file.ts';
import { createOutcomeReader, findIgnoredRefusals, readOurOutcome } from './judging/outcome-rules.ts';
import type { Handler } from './reading/handler.ts';
import type { DialectEntry } from './reading/read-file.ts';
import type { EventRule, JsonObject, WriteRule } from './rule-types.ts';
import type { AgentRules } from './rules.ts';

/** A property of a hook that is lost or changed by an import. */
export interface Loss {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  /** `left-out`: not imported. `changed`: imported with another meaning. `kept`: still a hook of its agent. */
  readonly kind: 'left-out' | 'changed' | 'kept';
  readonly message: string;
}

export const createLoss = ({ file, line, path }: DialectEntry, kind: Loss['kind'], message: string): Loss => ({
  file,
  line,
  path,
  kind,
  message,
});

export interface ConversionTarget extends MatcherTarget {
  readonly events: Readonly<Record<string, EventRule>>;
  readonly isGrouped: (event: string) => boolean;
  readonly writes: Omit<WriteRule, 'path'>;
  readonly isAsync?: JsonObject | undefined;
  readonly copiedMembers: readonly (keyof Handler)[];
  /** Variables with the project's directory that the target sets. */
  readonly projectVariables: readonly string[];
  readonly environmentFile?: AgentRules['process']['environmentFile'];
}

export interface Conversion {
  readonly settings: JsonObject & { readonly hooks?: Readonly<Record<string, readonly JsonObject[]>> };
  readonly count: number;
  readonly losses: readonly Loss[];
}

const separatelyWrittenMembers: readonly (keyof Handler)[] = ['command', 'timeoutMs', 'type'];

export const createTarget = (dialect: AgentRules): ConversionTarget => {
  const { writes, title, events, tools, latest, matcher, process } = dialect;
  const { names, namesFirst, otherwise } = matcher(latest);
  return {
    title,
    events: events(latest),
    isGrouped: (event) => hasHandlerGroups(dialect, event),
    writes,
    copiedMembers: ['command'],
    tools,
    anchors: names === undefined && namesFirst !== true && otherwise === 'anywhere',
    ignoresMatchers: otherwise === 'ignored',
    projectVariables: listProjectVariables(dialect),
    environmentFile: process.environmentFile,
    dialect,
  };
};

export const hookwrightTarget: ConversionTarget = {
  title: 'hookwright',
  events: {},
  isGrouped: () => true,
  writes: {
    line: 'command',
    projectDir: '$HOOKWRIGHT_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1 },
    type: true,
    failClosed: { onFault: 'deny' },
  },
  isAsync: { background: true },
  copiedMembers: [
    'command',
    'args',
    'env',
    'cwd',
    'shell',
    'name',
    'statusMessage',
    'url',
    'headers',
    'allowedEnvVars',
    'prompt',
    'server',
    'tool',
    'input',
  ],
  anchors: true,
  ignoresMatchers: false,
  projectVariables: ['CLAUDE_PROJECT_DIR', 'CLAUDE_CWD', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  environmentFile: { variable: 'HOOKWRIGHT_ENV_FILE', events: ['SessionStart'] },
};

const mainMemberByType: Readonly<Record<Handler['type'], keyof Handler>> = {
  command: 'command',
  http: 'url',
  prompt: 'prompt',
  mcp: 'server',
};

class Converter {
  readonly #from: AgentRules;
  readonly #to: ConversionTarget;
  readonly #reported = new Set<string>();
  readonly losses: Loss[] = [];
  readonly events: Record<string, JsonObject[]> = {};
  count = 0;

  constructor(from: AgentRules, to: ConversionTarget) {
    this.#from = from;
    this.#to = to;
  }

  #addLoss(entry: DialectEntry, kind: Loss['kind'], message: string): void {
    this.losses.push(createLoss(entry, kind, message));
  }

  #writeHandler(entry: DialectEntry, handler: Handler): JsonObject {
    const { copiedMembers, isAsync, writes } = this.#to;
    const { line, timeout, type, failClosed } = writes;
    const written: JsonObject = type === true ? { type: handler.type } : {};
    const { command, timeoutMs } = handler;
    if (command !== undefined) written[line] = this.#convertLine(command, entry);
    written[timeout.key] = Math.max(1, Math.ceil(timeoutMs / timeout.ms));
    const members: Readonly<JsonObject> = { ...handler };
    for (const key of Object.keys(members)) {
      if (members[key] === undefined || separatelyWrittenMembers.some((name) => name === key)) continue;
      if (copiedMembers.some((name) => name === key)) written[key] = members[key];
      else this.#reportLostMember(entry, key, members[key]);
    }
    return {
      ...written,
      ...(handler.failClosed === true ? failClosed : {}),
      ...(handler.isAsync === true ? isAsync : {}),
    };
  }

  #convertLine(command: string, entry: DialectEntry): string {
    const { title, projectVariables, writes } = this.#to;
    const { projectDir } = writes;
    let line = resolveSettingsPaths(this.#renameEnvironmentFile(command), entry, this.#from);
    for (const name of listProjectVariables(this.#from)) {
      if (projectVariables.includes(name) || !new RegExp(`\\$\\{?${name}\\b`).test(line)) continue;
      line = line.replaceAll(new RegExp(`\\$(?:\\{${name}\\}|${name}\\b)`, 'g'), () => projectDir);
      const note = `${title} sets no ${name}: the line says ${projectDir} in its place, and a script that reads it finds nothing`;
      this.#addLoss(entry, 'changed', note);
    }
    return line;
  }

  #reportLostMember(entry: DialectEntry, key: string, value: unknown): void {
    if (value === false) return;
    if (key === 'failClosed' && this.#to.writes.failClosed !== undefined) return;
    if (key === 'isAsync' && this.#to.isAsync !== undefined) return;
    const what: Readonly<Record<string, string>> = {
      failClosed: 'that it blocks when it fails',
      isAsync: 'that the agent does not wait for it',
      condition: 'that it is for some calls only ("if")',
      loopLimit: 'how often it may send the agent on',
      contextTokens: 'how much of what it says to the model is handed on',
    };
    this.#addLoss(entry, 'changed', `${this.#to.title} cannot express ${what[key] ?? `"${key}"`}`);
  }

  #reportIgnoredRefusals(entry: DialectEntry, event: string, other: string): void {
    const { title, dialect } = this.#to;
    const key = `${event} ${other}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const readOutcome = dialect === undefined ? readOurOutcome : createOutcomeReader(dialect, other);
    for (const note of findIgnoredRefusals(this.#from, event, title, readOutcome))
      this.#addLoss(entry, 'changed', note);
  }

  #reportLostVariables(entry: DialectEntry, other: string): void {
    const { environmentFile: rule } = this.#from.process;
    const { title, environmentFile } = this.#to;
    if (rule?.events.includes(entry.event) !== true || this.#reported.has(rule.variable)) return;
    if (environmentFile?.events.includes(other) === true) return;
    this.#reported.add(rule.variable);
    this.#addLoss(entry, 'changed', `${title} sets no ${rule.variable}: variables that a script writes there are lost`);
  }

  #renameEnvironmentFile(line: string): string {
    const [from, to] = [this.#from.process.environmentFile, this.#to.environmentFile];
    if (from === undefined || to === undefined) return line;
    return line.replaceAll(new RegExp(`\\b${from.variable}\\b`, 'g'), to.variable);
  }

  add(entry: DialectEntry): void {
    const { handler, rule, refusal, event } = entry;
    if (handler === undefined) {
      this.#addLoss(entry, 'left-out', refusal?.message ?? `"${event}" is not an event`);
      return;
    }
    // The target runs the imported hooks itself, so it need not start hookwright.
    if (isHookwrightLine(handler.command)) return;
    const moment = rule?.moment;
    const { events, dialect } = this.#to;
    const other = moment === undefined || dialect === undefined ? moment : findGeneralEvent(events, moment);
    if (other === undefined) {
      this.#addLoss(entry, 'left-out', `${this.#to.title} has no event like ${event}`);
      return;
    }
    if (!this.#to.copiedMembers.includes(mainMemberByType[handler.type])) {
      this.#addLoss(entry, 'left-out', `${this.#to.title} has no hooks of type "${handler.type}"`);
      return;
    }
    const { matcher, never, notes } = convertMatcher(entry, this.#from, this.#to, other);
    if (never !== undefined) {
      this.#addLoss(entry, 'left-out', never);
      return;
    }
    for (const note of notes) this.#addLoss(entry, 'changed', note);
    const written = this.#writeHandler(entry, handler);
    this.#reportIgnoredRefusals(entry, event, other);
    this.#reportLostVariables(entry, other);
    const sequential = entry.sequential && this.#to.copiedMembers.includes('env') ? { sequential: true } : {};
    const where = this.events[other] ?? [];
    const withMatcher = matcher === undefined ? {} : { matcher };
    where.push(
      this.#to.isGrouped(other) ? { ...withMatcher, ...sequential, hooks: [written] } : { ...withMatcher, ...written },
    );
    this.events[other] = where;
    this.count += 1;
  }
}

export const convertHooks = (entries: readonly DialectEntry[], from: AgentRules, to: ConversionTarget): Conversion => {
  const converter = new Converter(from, to);
  for (const entry of entries) converter.add(entry);
  const { events, losses, count } = converter;
  const { root, name = 'hooks' } = to.writes;
  return { settings: { ...root, [name]: events }, count, losses };
};

const SAMPLE_PROJECT_DIR = '/the/project';

const listProjectVariables = ({ process, latest: version }: AgentRules): string[] =>
  Object.entries(
    process.environment({ projectDir: SAMPLE_PROJECT_DIR, cwd: SAMPLE_PROJECT_DIR, sessionId: '', version }),
  )
    .filter(([, value]) => value === SAMPLE_PROJECT_DIR)
    .map(([name]) => name);

const resolveSettingsPaths = (line: string, { file, scope }: DialectEntry, { process }: AgentRules): string =>
  process.cwd === 'settings' && scope !== 'project'
    ? line.replace(/^\.{1,2}\/[^\s"'$`\\]*/, (path) => JSON.stringify(resolve(dirname(file), path)))
    : line;
