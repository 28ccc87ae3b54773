// Reads the hooks files of an agent by its rules, and reports mistakes that the agent does not.
import { describeValue, findNearestName, formatPath, isRecord } from '../../kit/index.ts';
import { matchRegex } from '../../planner/index.ts';
import { type AgentMatcher, compileAgentMatcher } from '../agent-matcher.ts';
import { dialects } from '../agent-table.ts';
import { isAtLeast } from '../agent-version.ts';
import { findUnknownKeys } from '../answers/answer.ts';
import { type EventRule, type FileForm, isToolSubject, type JsonObject, type Platform } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import {
  type AgentFileText,
  createWarning,
  type DialectEntry,
  type DialectProblem,
  type DialectReading,
} from './entry.ts';
import type { HandlerProblem } from './handler.ts';
import { type ParsedFile, type PathPart, parseToml, parseWithPositions } from './parse-file.ts';

export type { AgentFileText, DialectEntry, DialectProblem, DialectReading } from './entry.ts';

const MAX_GROUPS_AND_HOOKS = 1_000;
const MAX_REPORTED_UNKNOWN_EVENTS = 100;
const MAX_CHECKED_PATTERNS = 5;
const MAX_REPORTED_UNKNOWN_KEYS = 5;

const GROUP_KEYS: readonly string[] = ['matcher', 'sequential', 'hooks'];

/** Keys that people use for comments in JSON. */
const COMMENT_KEY_PATTERN = /^(?:[_$#/]|(?:comment|description|note)$)/;

const pickBareEvents = (root: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(root).filter(([, list]) => Array.isArray(list)));

class AgentFileReader {
  readonly #dialect: AgentRules;
  readonly #file: AgentFileText;
  readonly #parsed: ParsedFile;
  readonly #version: string;
  readonly #platform: Platform;
  readonly #form: FileForm;
  readonly entries: DialectEntry[] = [];
  readonly problems: DialectProblem[] = [];
  voidedBy: string | undefined;
  #readItems = 0;
  #unknownEvents = 0;
  #patterns = 0;

  constructor(
    dialect: AgentRules,
    file: AgentFileText,
    form: FileForm,
    parsed: ParsedFile,
    version: string,
    platform: Platform,
  ) {
    this.#dialect = dialect;
    this.#file = file;
    this.#form = form;
    this.#parsed = parsed;
    this.#version = version;
    this.#platform = platform;
  }

  #report(path: readonly PathPart[], message: string, fix: string, more: Partial<DialectProblem> = {}): void {
    const spot = this.#parsed.spotOf(path);
    const at = { file: this.#file.path, path: formatPath(path), ...spot };
    this.problems.push({ severity: 'warning', message, fix, ...at, ...more });
  }

  #reportForm(path: readonly PathPart[], expected: string, found: unknown, fix: string): void {
    const message = `${formatPath(path)} must be ${expected}, found ${describeValue(found)}`;
    this.#report(path, message, fix, { severity: 'error', isSilentThere: true });
  }

  /** JSON keeps only the last of two equal keys, so hooks under the first are lost. */
  #reportDuplicates(): void {
    const { events } = this.#form;
    for (const { path, spot, lastSpot } of this.#parsed.duplicates ?? []) {
      if ('below' in events && path[0] !== events.below) continue;
      const message = `${formatPath(path)} is there twice, so the agent ignores this one: the one in line ${lastSpot.line} counts`;
      this.#report(path, message, 'put the two together', { severity: 'error', isSilentThere: true, ...spot });
    }
  }

  read(root: JsonObject): void {
    const { events, onlyKeys } = this.#form;
    this.#reportDuplicates();
    const strangers = onlyKeys === undefined || this.#file.plugin !== undefined ? [] : findUnknownKeys(root, onlyKeys);
    const [stranger] = strangers;
    if (stranger !== undefined) {
      this.voidedBy = `the root has the key "${stranger}", and ${this.#dialect.title} drops a file with a key it does not know`;
      this.#report(
        [stranger],
        `${this.voidedBy}: none of its hooks run`,
        `remove "${stranger}"; known are ${onlyKeys?.join(', ')}`,
        { severity: 'error', isSilentThere: true },
      );
    }
    const flaw = this.#form.rootFlaw?.(root);
    if (flaw !== undefined) {
      this.#report([flaw.key], flaw.message, flaw.fix, { severity: flaw.voids ? 'error' : 'warning' });
      if (flaw.voids) this.voidedBy ??= flaw.message;
    }
    if ('below' in events) {
      this.#reportEventsAtRoot(root, events.below);
      const named = root[events.below];
      // The manifest of a plugin can contain a whole hooks file under the same key.
      const isWhole = this.#file.plugin !== undefined && isRecord(named) && isRecord(named[events.below]);
      if (isWhole) this.#readEvents(named[events.below], [events.below, events.below]);
      else if (named === undefined && this.#file.plugin !== undefined) this.#readEvents(pickBareEvents(root), []);
      else this.#readEvents(named, [events.below]);
      return;
    }
    for (const name of Object.keys(root)) {
      const named = root[name];
      const before = this.entries.length;
      this.#readEvents(named, [name]);
      if (!isRecord(named) || named.enabled !== false) continue;
      const off = `"enabled": false of "${name}"`;
      this.entries.push(...this.entries.splice(before).map((entry) => ({ ...entry, off })));
    }
  }

  #reportEventsAtRoot(root: JsonObject, below: string): void {
    const known = this.#dialect.events(this.#version);
    for (const key of Object.keys(root)) {
      if (key === below || !Object.hasOwn(known, key) || !Array.isArray(root[key])) continue;
      const message = `"${key}" stands at the root, where ${this.#dialect.title} reads no events; its hooks never run`;
      this.#report([key], message, `put it into "${below}": { … }`, { severity: 'error', isSilentThere: true });
    }
  }

  #readEvents(events: unknown, path: readonly PathPart[]): void {
    if (events === undefined) return;
    if (!isRecord(events)) {
      this.#reportForm(path, 'an object from events to lists', events, 'write { "<event>": [ … ] }');
      return;
    }
    const known = this.#dialect.events(this.#version);
    for (const event of Object.keys(events)) {
      if (this.#unknownEvents > MAX_REPORTED_UNKNOWN_EVENTS) return;
      if (this.#form.notEvents?.includes(event) === true) continue;
      const name = this.#toKnownName(known, event);
      const rule = Object.hasOwn(known, name) ? known[name] : undefined;
      const at = [...path, event];
      if (rule === undefined) {
        const near = findNearestName(event, Object.keys(known));
        const hint = near === undefined ? `known are ${Object.keys(known).join(', ')}` : `did you mean "${near}"?`;
        const message = `"${event}" is not an event of ${this.#dialect.title}; its hooks never run`;
        this.#report(at, message, hint, { isSilentThere: true });
        this.#unknownEvents += 1;
        if (this.#unknownEvents > MAX_REPORTED_UNKNOWN_EVENTS)
          this.#reportRest(at, `${MAX_REPORTED_UNKNOWN_EVENTS} unknown events`);
      }
      this.#readEventList(name, rule, events[event], at);
    }
  }

  #readEventList(event: string, rule: EventRule | undefined, list: unknown, path: readonly PathPart[]): void {
    if (!Array.isArray(list)) {
      this.#reportForm(path, 'a list', list, 'put it into [ ]');
      if (this.#form.voidedByNonList === true) this.voidedBy ??= `${formatPath(path)} is no list`;
      return;
    }
    const { nesting } = this.#form;
    for (const [index, item] of list.entries()) {
      const at = [...path, index];
      if (this.#isFull(at)) return;
      if (!isRecord(item)) {
        const fix =
          nesting === 'groups' ? 'write {"hooks": [{"type": "command", "command": "…"}]}' : 'write {"command": "…"}';
        this.#reportForm(at, 'an object', item, fix);
      } else if (nesting === 'groups' || (nesting === 'both' && Array.isArray(item.hooks))) {
        this.#readGroup(event, rule, item, at);
      } else {
        this.#readEntry(event, rule, item, item, at);
      }
    }
  }

  #readGroup(event: string, rule: EventRule | undefined, group: JsonObject, path: readonly PathPart[]): void {
    if (!Array.isArray(group.hooks)) {
      const fix = 'command' in group ? 'wrap the handler: {"hooks": [ … ]}' : 'give it a list "hooks"';
      const message = `${formatPath(path)} has no list of hooks, so that none runs`;
      this.#report(path, message, fix, { severity: 'error', isSilentThere: true });
      return;
    }
    this.#reportUnread(group, GROUP_KEYS, path);
    for (const [index, raw] of group.hooks.entries()) {
      const at = [...path, 'hooks', index];
      if (this.#isFull(at)) return;
      if (isRecord(raw)) this.#readEntry(event, rule, raw, group, at);
      else this.#reportForm(at, 'a handler', raw, 'write {"type": "command", "command": "…"}');
    }
  }

  /** Agents ignore unknown keys without a message, even a key that a guard depends on. */
  #reportUnread(written: JsonObject, known: readonly string[], path: readonly PathPart[]): void {
    for (const key of findUnknownKeys(written, known)
      .filter((one) => !COMMENT_KEY_PATTERN.test(one))
      .slice(0, MAX_REPORTED_UNKNOWN_KEYS)) {
      const near = findNearestName(key, known);
      const fix = near === undefined ? `remove it; known are ${known.join(', ')}` : `did you mean "${near}"?`;
      const message = `"${key}" is no key that ${this.#dialect.title} reads here; it has no effect`;
      this.#report([...path, key], message, fix, { isSilentThere: true });
    }
  }

  #reportRest(path: readonly PathPart[], limit: string): void {
    const message = `the file has more than ${limit}, which is too much to look at: the rest is left out`;
    this.#report(path, message, 'write fewer into one file', { severity: 'error' });
  }

  /** People write far fewer hooks, and reading so many would delay the start. */
  #isFull(path: readonly PathPart[]): boolean {
    this.#readItems += 1;
    if (this.#readItems === MAX_GROUPS_AND_HOOKS + 1)
      this.#reportRest(path, `${MAX_GROUPS_AND_HOOKS} groups and hooks`);
    return this.#readItems > MAX_GROUPS_AND_HOOKS;
  }

  #toKnownName(known: Readonly<Record<string, EventRule>>, event: string): string {
    if (this.#form.anyCase !== true) return event;
    return Object.keys(known).find((one) => one.toLowerCase() === event.toLowerCase()) ?? event;
  }

  #checkMatcher(event: string, rule: EventRule | undefined, matcher: unknown, path: readonly PathPart[]): void {
    if (typeof matcher !== 'string' || rule === undefined) return;
    // Checking a pattern is slow: it is compared with the names of all tools.
    if (!/^[\w|, *-]*$/.test(matcher)) this.#patterns += 1;
    if (this.#patterns > MAX_CHECKED_PATTERNS) return;
    const flaw = findMatcherFlaw(this.#dialect, rule, event, this.#version, matcher);
    if (flaw === undefined) return;
    this.#report(path, `${formatPath(path)}: ${flaw.message}`, flaw.fix, { isSilentThere: true });
  }

  #isVoidedByEntries(): boolean {
    const { voidedByEntry = false, voidedByEntryUntil: until } = this.#form;
    return voidedByEntry || (until !== undefined && !isAtLeast(this.#version, until));
  }

  #readEntry(
    event: string,
    rule: EventRule | undefined,
    raw: JsonObject,
    group: JsonObject,
    path: readonly PathPart[],
  ): void {
    const { matcher, sequential } = group;
    const spot = { event, rule: rule ?? { blocks: false }, version: this.#version, platform: this.#platform };
    const reading = this.#dialect.readHandler(raw, spot);
    const isGroup = this.#form.nesting === 'entries' && Array.isArray(raw.hooks);
    const badMatcher = matcher !== undefined && matcher !== null && typeof matcher !== 'string';
    const refusal: HandlerProblem | undefined = badMatcher
      ? { message: `matcher must be a text, found ${describeValue(matcher)}`, fix: 'write the matcher in quotes' }
      : isGroup
        ? {
            message: 'one hook must stand here, found a group with a list "hooks"',
            fix: 'write its hooks one by one, each with the matcher',
          }
        : reading.problem;
    if (refusal !== undefined) {
      const isWrong = refusal.onlyHere !== true;
      const isVoid = refusal.voidsFile === true || (isWrong && this.#isVoidedByEntries());
      this.#report(path, `${formatPath(path)}: ${refusal.message}`, refusal.fix, {
        severity: 'error',
        ...(isWrong ? { isSilentThere: true } : { onlyHere: true }),
      });
      if (isVoid) this.voidedBy ??= `${formatPath(path)} voids the file: ${refusal.message}`;
    }
    this.#reportUnread(raw, [...this.#dialect.handlerKeys, ...(raw === group ? GROUP_KEYS : [])], path);
    const notes = reading.notes ?? [];
    const known = 'see whether that is what is meant';
    for (const note of notes) this.#report(path, `${formatPath(path)}: ${note}`, known, { isSilentThere: true });
    this.#checkMatcher(event, rule, matcher, path);
    this.entries.push({
      dialect: this.#dialect.name,
      file: this.#file.path,
      scope: this.#file.scope,
      ...(this.#file.plugin === undefined ? {} : { plugin: this.#file.plugin }),
      path: formatPath(path),
      event,
      rule,
      ...(typeof matcher === 'string' ? { matcher } : {}),
      sequential: sequential === true,
      written: raw,
      ...(refusal === undefined ? { handler: reading.handler } : { refusal }),
      notes,
      ...this.#parsed.spotOf(path),
    });
  }
}

/** Reads one file without running anything; a mistake in one entry does not affect the others. */
export const readDialectFile = (
  dialect: AgentRules,
  file: AgentFileText,
  options: ReadingOptions = {},
): DialectReading => hideOutsideContent(file, dialect.title, parseAgentFile(dialect, file, options));

interface ReadingOptions {
  readonly version?: string;
  readonly platform?: Platform;
}

const parseAgentFile = (
  dialect: AgentRules,
  file: AgentFileText,
  { version = dialect.latest, platform = 'linux' }: ReadingOptions,
): DialectReading => {
  const form = dialect.forms[file.form];
  if (form === undefined) throw new Error(`${dialect.name} has no form "${file.form}"`);
  const parsed = form.syntax === 'toml' ? parseToml(file.text) : parseWithPositions(file.text, form.syntax);
  if (parsed.mistake !== undefined || !isRecord(parsed.root)) {
    const other = `the file must be an object, found ${describeValue(parsed.root)}`;
    const { message, spot } = parsed.mistake ?? { message: other, spot: { line: 1, column: 1 } };
    const { fix = 'write { … }', onlyHere } = parsed.mistake ?? {};
    const problem: DialectProblem = {
      ...createWarning({ file: file.path, ...spot }, message, fix),
      severity: 'error',
      isUnreadable: true,
      ...(onlyHere === true ? { onlyHere } : { isSilentThere: true }),
    };
    return { entries: [], problems: [problem], void: message };
  }
  const reader = new AgentFileReader(dialect, file, form, parsed, version, platform);
  reader.read(parsed.root);
  const off = dialect.isOff(parsed.root);
  return {
    entries: reader.entries,
    problems: reader.problems,
    root: parsed.root,
    ...(reader.voidedBy === undefined ? {} : { void: reader.voidedBy }),
    ...(off === undefined ? {} : { off }),
  };
};

interface MatcherFlaw {
  readonly message: string;
  readonly fix: string;
}

const matchesName = ({ test }: AgentMatcher, name: string): boolean => test([name]) === true;

const mayMatchTool = (matcher: AgentMatcher, { tools }: Vocabulary): boolean =>
  tools.some(({ names }) => matcher.test(names) === 'timeout' || names.some((name) => matchesName(matcher, name)));

const findForeignTool = (
  matcher: AgentMatcher,
  dialect: AgentRules,
  rule: EventRule,
  version: string,
): MatcherFlaw | undefined => {
  const own = dialect.toolsFor?.(rule, version) ?? dialect.tools;
  if (mayMatchTool(matcher, own)) return undefined;
  const others = dialects.filter(({ name }) => name !== dialect.name);
  for (const { title, tools } of others) {
    for (const { kind, names } of tools.tools) {
      const theirs = names.find((name) => matchesName(matcher, name));
      if (theirs === undefined) continue;
      const ours = own.tools.find((tool) => tool.kind === kind)?.names[0];
      const here = ours === undefined ? `${dialect.title} has no such tool` : `${dialect.title} calls it "${ours}"`;
      return {
        message: `"${theirs}" is what ${title} calls a tool; ${here}, and the hook never runs for it`,
        fix: ours === undefined ? 'put the hook where it can run' : `write "${ours}"`,
      };
    }
  }
  return undefined;
};

/** Finds a permission rule such as `Bash(git push *)`, which as a pattern matches no tool. */
const findPermissionRule = (
  matcher: AgentMatcher,
  { tools, toolsFor, handlerKeys }: AgentRules,
  rule: EventRule,
  version: string,
  written: string,
): MatcherFlaw | undefined => {
  const own = toolsFor?.(rule, version) ?? tools;
  const [, tool = '', call = ''] = /^([\w-]+)\((.*)\)$/.exec(written.trim()) ?? [];
  if (mayMatchTool(matcher, own) || !own.tools.some(({ names }) => names.includes(tool))) return undefined;
  const part = call.trim().replace(/(?::| ?)\*$/, ' *');
  const condition = handlerKeys.includes('if')
    ? `, and in the hook "if": "${tool}(${part})"`
    : '; its script can look at the rest of the call';
  return {
    message: `${JSON.stringify(written)} is read as one pattern, and no tool has such a name: the hook never runs`,
    fix: `write "matcher": "${tool}"${part.trim() === '' || part === ' *' ? '' : condition}`,
  };
};

export const findMatcherFlaw = (
  dialect: AgentRules,
  rule: EventRule,
  event: string,
  version: string,
  written: string,
): MatcherFlaw | undefined => {
  const { subject, literal } = rule;
  const form = rule.matcher ?? dialect.matcher(version);
  if ((subject ?? literal) === undefined || form.otherwise === 'ignored') {
    const isAll = written.trim() === '' || written === '*';
    const message = `${dialect.title} ignores the matcher "${written}" on ${event}: the hook runs each time`;
    return isAll ? undefined : { message, fix: 'take it away, and let the hook look for itself' };
  }
  const matcher = compileAgentMatcher(written, form, matchRegex);
  if (matcher.problem !== undefined) {
    const tool = isToolSubject(subject) ? dialect.tools.tools[0]?.names[0] : undefined;
    const named = tool === undefined ? '' : `, or the name of a tool, such as "${tool}"`;
    return { message: matcher.problem, fix: `write a valid regular expression${named}` };
  }
  if (literal !== undefined) {
    const message = `on ${event} a matcher is compared with "${literal}" alone, and "${written}" is none: the hook never runs`;
    return matchesName(matcher, literal) ? undefined : { message, fix: 'take the matcher away' };
  }
  return isToolSubject(subject) && rule.kinds === undefined
    ? (findForeignTool(matcher, dialect, rule, version) ?? findPermissionRule(matcher, dialect, rule, version, written))
    : undefined;
};

/** A link can lead to any file, and problems would quote its content. */
const hideOutsideContent = (file: AgentFileText, title: string, reading: DialectReading): DialectReading => {
  const { realPathOutside } = file;
  if (realPathOutside === undefined || reading.entries.length > 0) return reading;
  const message = `the file leads to ${realPathOutside}, which is outside of the project and no settings of ${title}`;
  const fix = 'put the file itself there, not a link';
  return {
    entries: [],
    problems: [{ ...createWarning({ file: file.path }, message, fix), severity: 'error' }],
    void: message,
  };
};

export interface ParsedAgentFile<File extends AgentFileText> {
  readonly file: File;
  readonly reading: DialectReading;
}

/** One file may disable the hooks of another, so all are read together. */
export const readAgentFiles = <File extends AgentFileText>(
  dialect: AgentRules,
  files: readonly File[],
  options: ReadingOptions = {},
): ParsedAgentFile<File>[] => {
  const read = files.map((file) => ({ file, reading: readDialectFile(dialect, file, options) }));
  const { switches, refine } = dialect;
  const switched = ({ file: { path, scope, form }, reading: { root = {} } }: ParsedAgentFile<File>) => ({
    path,
    scope,
    form,
    root,
  });
  const all = read.map(switched);
  const whyOff = switches?.(all);
  const refined = refine?.(all);
  return read.map((one) => {
    const { off: alone, ...rest } = one.reading;
    const off = whyOff === undefined ? alone : whyOff(switched(one));
    const reading = refined === undefined ? rest : { ...rest, entries: rest.entries.map(refined) };
    const said = dialect.besides?.(switched(one), all);
    const beside = said === undefined ? [] : [createWarning({ file: one.file.path }, said.message, said.fix)];
    const problems = [...reading.problems, ...beside];
    return { file: one.file, reading: { ...reading, problems, ...(off === undefined ? {} : { off }) } };
  });
};
