// Reads a `hooks` object into configured hooks and problems.
import {
  agentEventNames,
  findEventByOtherName,
  firedEventNames,
  hookEventNames,
  isHookEventName,
} from '../events/index.ts';
import {
  attempt,
  describeThrown,
  describeValue,
  findNearestName,
  isPrototypeKey,
  isRecord,
  omitUndefined,
  textOf,
} from '../kit/index.ts';
import {
  type ConfigProblem,
  type ConfigSource,
  definitionKeys,
  fieldNames,
  getHookKey,
  getOrigin,
  type HookConfig,
  type HookOrigin,
  HookType,
  hasMisspeltOnFault,
  isGuardEntry,
  isGuardKey,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
  type SettingsFinding,
  type SettingsSheet,
  type SkipReason,
  withOrigin,
} from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';
import { createPlainId } from './hook-id.ts';
import {
  HOOKWRIGHT_LINE_HINT,
  reportLaunchMistakes,
  reportRefusedVariables,
  startsHookwright,
} from './launch-checks.ts';
import { findMatcherMistake } from './matcher-mistakes.ts';

export interface HookReading {
  readonly hooks: ConfiguredHook[];
  readonly problems: ConfigProblem[];
  /** True if the loader has applied the trust check. If a later load returns the same object, its hooks are reused. */
  readonly isJudged?: boolean;
}

export interface HooksOrigin {
  readonly source: ConfigSource;
  readonly extension?: string;
  readonly skipReasons: readonly SkipReason[];
  readonly sheet?: SettingsSheet | undefined;
}

interface ValueContext extends Pick<HookOrigin, 'sheet' | 'dialect' | 'written' | 'flaw'> {
  readonly path: string;
}

/** A value from a file keeps its path in the file, even if it was moved within the settings object. */
const toValueContext = (value: unknown, { path, sheet, flaw }: ValueContext): ValueContext => {
  // A revoked proxy throws here. Reading its fields throws again, and that is reported.
  const own = attempt(() => (isRecord(value) ? getOrigin(value) : undefined));
  return own?.path === undefined ? { path, sheet, flaw } : { ...own, path: own.path };
};

interface MatcherGroup {
  readonly matcher?: string | undefined;
  readonly sequential?: boolean;
}

const toMatcherGroup = (matcher: unknown, sequential: unknown): MatcherGroup => ({
  matcher: textOf(matcher),
  sequential: sequential === true,
});

const createUnreadableFinding = (path: string, error: unknown): SettingsFinding => ({
  code: 'invalid-value',
  skipped: true,
  path,
  message: `${path} cannot be read: ${describeThrown(error)}`,
});

interface RowEntry {
  readonly context: ValueContext;
  readonly config?: HookConfig | undefined;
  readonly group?: MatcherGroup;
  readonly skipReasons?: readonly SkipReason[];
  readonly hint?: string | undefined;
}

const suggestList = (eventName: string, found: unknown): string | undefined => {
  if (isRecord(found)) return `put it into a list: "${eventName}": [{ … }]`;
  if (typeof found !== 'string') return undefined;
  return `write "${eventName}": [{"hooks": [{"command": ${JSON.stringify(found)}}]}]`;
};

const suggestNamesMatcher = (found: unknown): string | undefined =>
  Array.isArray(found) ? `write ${JSON.stringify(found.map(String).join('|'))}` : undefined;

export const olderSwitchNames: readonly string[] = ['enabled', 'disabled', 'notifications'];

const duplicateReasons: readonly SkipReason[] = ['duplicate'];

class HooksReader {
  readonly #origin: HooksOrigin;
  readonly #types: readonly string[] | undefined;
  readonly hooks: ConfiguredHook[] = [];
  readonly problems: ConfigProblem[] = [];

  constructor(origin: HooksOrigin, types: readonly string[] | undefined) {
    this.#origin = origin;
    this.#types = types;
  }

  #report({ sheet }: ValueContext, finding: SettingsFinding, about?: unknown): void {
    const guardLost = finding.skipped && containsGuard(about);
    const at = sheet?.positionOf(finding.path);
    const isDisarmed = guardLost && (finding.code === 'unknown-key' || /\.(?:onFault|verdict)$/.test(finding.path));
    const message = isDisarmed ? `${finding.message}; the guard will not run` : finding.message;
    const severity = guardLost ? 'error' : 'warning';
    this.problems.push({ severity, source: this.#origin.source, ...finding, message, ...at });
  }

  read(settings: unknown): void {
    const context: ValueContext = { path: 'hooks', sheet: this.#origin.sheet };
    try {
      this.#readSettings(settings, context);
    } catch (error) {
      this.#report(context, createUnreadableFinding(context.path, error));
    }
  }

  /** Reading a value can throw: it may be a revoked proxy, or have a getter that throws. */
  #readSafely(eventName: string, value: unknown, context: ValueContext, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#report(context, createUnreadableFinding(context.path, error));
      this.#addInvalidRow(eventName, value, context, `${context.path} cannot be read`);
    }
  }

  #readSettings(settings: unknown, context: ValueContext): void {
    if (settings === undefined || settings === null) return;
    if (!isRecord(settings)) {
      const report = (finding: SettingsFinding) => this.#report(context, finding, settings);
      const hint = Array.isArray(settings) ? 'write "hooks": {"BeforeTool": [{"hooks": [ … ]}]}' : undefined;
      reportMismatch(report, context.path, 'an object from event names to definitions', settings, hint);
      return;
    }
    for (const eventName of Object.keys(settings)) {
      const at = { ...context, path: `${context.path}.${eventName}` };
      this.#readSafely(eventName, undefined, at, () => this.#readEvent(eventName, settings[eventName], at));
    }
  }

  #readEvent(eventName: string, definitions: unknown, context: ValueContext): void {
    const { path } = context;
    if (!isHookEventName(eventName) && olderSwitchNames.includes(eventName)) {
      const hint = `write it as hooksConfig.${eventName}`;
      const message = `${path} is a switch, not an event, and has no effect here; ${hint}`;
      this.#report(context, { code: 'no-effect', skipped: true, path, message, hint });
      return;
    }
    if (!isHookEventName(eventName) && isGuardKey(eventName) && !Array.isArray(definitions)) {
      const report = (finding: SettingsFinding) => this.#report(context, finding, { [eventName]: definitions });
      reportUnknownKey(report, 'hooks', eventName, hookEventNames, true);
      return;
    }
    if (!isHookEventName(eventName)) {
      const { message, ...finding } = explainUnknownEvent(eventName);
      const { code } = finding;
      const isMistake = code === 'unknown-event';
      const expected = isMistake ? { expected: KNOWN_EVENTS_TEXT } : {};
      const told = { ...finding, ...expected, skipped: true, path, message: `${path} ${message}` };
      this.#report(context, told, isMistake ? definitions : undefined);
      this.#addUnusableRows(eventName, definitions, context, code, `"${eventName}" ${message}`);
      return;
    }
    if (!Array.isArray(definitions)) {
      const report = (finding: SettingsFinding) => this.#report(context, finding, definitions);
      reportMismatch(report, path, 'an array of definitions', definitions, suggestList(eventName, definitions));
      this.#addInvalidRow(eventName, definitions, context, `${path} must be an array`);
      return;
    }
    for (const [index, definition] of definitions.entries()) {
      const at = toValueContext(definition, { ...context, path: `${path}[${index}]` });
      this.#readSafely(eventName, definition, at, () => this.#readDefinition(eventName, definition, at));
    }
  }

  #readDefinition(eventName: string, definition: unknown, context: ValueContext): void {
    const { path } = context;
    const report = (finding: SettingsFinding): void => this.#report(context, finding, definition);
    if (isRecord(definition) && definition.hooks === undefined && definition.verdict !== undefined) {
      this.#readRule(eventName, definition, context);
      return;
    }
    if (!isRecord(definition) || !Array.isArray(definition.hooks)) {
      const misspelt = findNearestName('hooks', Object.keys(Object(definition)));
      const looksLikeHook = isRecord(definition) && ('command' in definition || 'action' in definition);
      const wrap = looksLikeHook ? 'wrap it: {"hooks": [ … ]}' : undefined;
      const hint = misspelt === undefined || misspelt === 'hooks' ? wrap : `write hooks for ${misspelt}`;
      const found = isRecord(definition) ? definition.hooks : definition;
      const at = isRecord(definition) ? `${path}.hooks` : path;
      reportMismatch(report, at, `an array of hooks for ${eventName}`, found, hint);
      this.#addInvalidRow(eventName, definition, context, `${at} must be an array of hooks`);
      return;
    }
    const unknown = Object.keys(definition).filter((key) => !definitionKeys.includes(key));
    // A misspelt `matcher` would let the guard decide every call; an `onFault` of the group protects nothing.
    const misplaced = containsGuard(definition) ? unknown.find(isGuardKey) : undefined;
    for (const key of unknown) reportUnknownKey(report, path, key, definitionKeys, key === misplaced);
    const { matcher, sequential } = definition;
    const isText = matcher === undefined || matcher === null || typeof matcher === 'string';
    if (!isText) reportMismatch(report, `${path}.matcher`, 'a string', matcher, suggestNamesMatcher(matcher));
    if (sequential !== undefined && typeof sequential !== 'boolean') {
      const message = `${path}.sequential must be true or false, found ${describeValue(sequential)}; false is used`;
      this.#report(context, { code: 'invalid-value', skipped: false, path: `${path}.sequential`, message });
    }
    const group = toMatcherGroup(matcher, sequential);
    this.#reportMatcher(eventName, definition.hooks, context, matcher);
    for (const [index, entry] of definition.hooks.entries()) {
      const at = toValueContext(entry, { ...context, path: `${path}.hooks[${index}]` });
      if (!isText) this.#addInvalidRow(eventName, entry, at, `${path}.matcher must be a string`, group);
      else if (misplaced !== undefined)
        this.#addInvalidRow(eventName, entry, at, `${path}.${misplaced} is unknown`, group);
      else this.readEntry(eventName, entry, at, group);
    }
  }

  /** A rule can replace a group: `{"matcher": "Bash", "if": …, "verdict": "deny"}`. */
  #readRule(
    eventName: string,
    { matcher, sequential, ...rule }: Readonly<Record<string, unknown>>,
    context: ValueContext,
  ): void {
    const group = toMatcherGroup(matcher, sequential);
    if (matcher !== undefined && typeof matcher !== 'string') {
      const report = (finding: SettingsFinding): void => this.#report(context, finding, rule);
      reportMismatch(report, `${context.path}.matcher`, 'a string', matcher, suggestNamesMatcher(matcher));
      this.#addInvalidRow(eventName, rule, context, `${context.path}.matcher must be a string`, group);
      return;
    }
    this.#reportMatcher(eventName, [rule], context, matcher);
    this.readEntry(eventName, rule, context, group);
  }

  #reportMatcher(eventName: string, entries: readonly unknown[], context: ValueContext, matcher: unknown): void {
    if (typeof matcher !== 'string' || context.dialect !== undefined) return;
    const finding = findMatcherMistake(eventName, matcher, `${context.path}.matcher`, entries);
    if (finding !== undefined) this.#report(context, finding);
  }

  readEntry(eventName: string, entry: unknown, context: ValueContext, group: MatcherGroup): void {
    const { sheet, dialect, flaw } = context;
    const messages = flaw === undefined ? [] : [flaw];
    const report = (finding: SettingsFinding): void => {
      if (finding.skipped) messages.push(finding.message);
      this.#report(context, finding, entry);
    };
    let config: HookConfig | undefined;
    try {
      const hasTimeUnit = isRecord(entry) && getOrigin(entry)?.hasTimeUnit === true;
      const isFile = sheet !== undefined;
      config = readHookConfig(entry, context.path, report, { types: this.#types, isFile, hasTimeUnit });
    } catch (error) {
      report(createUnreadableFinding(context.path, error));
    }
    const isMissing = config?.agent !== undefined && dialect === undefined && flaw === undefined;
    if (isMissing) {
      const message = `${context.path}.agent works in settings files only; with hooks in code, write them for hookwright`;
      report({ code: 'not-supported', skipped: true, path: `${context.path}.agent`, message });
    }
    if (config === undefined || flaw !== undefined || isMissing) {
      this.#addInvalidRow(eventName, entry, context, messages.join('; '), group);
      return;
    }
    const odd = dialect?.matcherProblem;
    if (odd?.fix !== undefined)
      report({ code: 'invalid-matcher', skipped: false, path: context.path, message: odd.message, hint: odd.fix });
    reportLaunchMistakes(eventName, config, context.path, report);
    if (sheet !== undefined) reportRefusedVariables(config, this.#origin.source, context.path, report);
    const own =
      sheet !== undefined && startsHookwright(config)
        ? { skipReasons: duplicateReasons, hint: HOOKWRIGHT_LINE_HINT }
        : {};
    this.#addRow(eventName, entry, { context, config, group, ...own });
  }

  /** Every entry below an unusable key gets a row, so that it does not vanish silently. */
  #addUnusableRows(
    eventName: string,
    definitions: unknown,
    context: ValueContext,
    skipReason: SkipReason,
    hint: string,
  ): void {
    const groups = Array.isArray(definitions) ? definitions : [definitions];
    for (const group of groups) {
      const entries = isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [group];
      const within = toValueContext(group, context);
      for (const entry of entries) {
        this.#addRow(eventName, entry, { context: toValueContext(entry, within), skipReasons: [skipReason], hint });
      }
    }
  }

  #addInvalidRow(
    eventName: string,
    entry: unknown,
    context: ValueContext,
    hint: string,
    group: MatcherGroup = {},
  ): void {
    this.#addRow(eventName, entry, { context, group, skipReasons: ['invalid-config'], hint });
  }

  #addRow(eventName: string, entry: unknown, { context, config, group = {}, skipReasons = [], hint }: RowEntry): void {
    const { source, extension } = this.#origin;
    const { sheet, path, dialect, written } = context;
    const position = sheet?.positionOf(path);
    const name = config === undefined ? findEntryName(entry) : getHookKey(config);
    const originOf = (own: HookConfig): HookOrigin => ({
      source,
      extension,
      position,
      ...(sheet === undefined ? {} : { sheet, path }),
      written,
      dialect,
      projectDir: sheet?.projectDir,
      programInProject: sheet?.programInProject?.(own, dialect),
    });
    const isExposed = sheet?.isExposed === true && config !== undefined;
    const hook: ConfiguredHook = omitUndefined({
      hookId: createPlainId({ source, extension, eventName }, entry, config),
      name,
      eventName,
      source: omitUndefined({ kind: source, extension, file: position?.file, line: position?.line }),
      matcher: group.matcher,
      sequential: group.sequential === true,
      dialect: dialect?.name,
      config: config && withOrigin(config, originOf(config)),
      skipReasons: [...skipReasons, ...this.#origin.skipReasons, ...(sheet?.skipReasons ?? [])],
      hint: hint ?? sheet?.hint,
      approved: isExposed ? { onFault: config.onFault, matcher: group.matcher } : undefined,
      disabled: sheet?.disabled?.has(name) === true ? true : undefined,
    });
    this.hooks.push(hook);
  }
}

/**
 * An invalid entry becomes a problem and a row, not an exception. Equal hooks have equal ids until the registry numbers
 * them.
 */
export const readHooks = (settings: unknown, origin: HooksOrigin, types?: readonly string[]): HookReading => {
  const reader = new HooksReader(origin, types);
  reader.read(settings);
  return { hooks: reader.hooks, problems: reader.problems };
};

export interface EventEntry extends MatcherGroup {
  readonly eventName: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export const readEntries = (
  entries: readonly EventEntry[],
  origin: HooksOrigin,
  types?: readonly string[],
): HookReading => {
  const reader = new HooksReader(origin, types);
  for (const { eventName, entry, ...group } of entries) {
    reader.readEntry(eventName, entry, toValueContext(entry, { path: 'hooks', sheet: origin.sheet }), group);
  }
  return { hooks: reader.hooks, problems: reader.problems };
};

/** A name similar to a known event is a mistake; any other may be an event of another host. */
const explainUnknownEvent = (
  eventName: string,
): Omit<SettingsFinding, 'skipped' | 'path' | 'code'> & { code: UnknownEventCode } => {
  if (eventName === 'hooks') {
    const hint = 'take its events out of it: "hooks": {"BeforeTool": [ … ]}';
    return { code: 'unknown-event', message: `is one level too deep; ${hint}`, hint };
  }
  const own = findEventByOtherName(eventName);
  if (own !== undefined) {
    const message = `is not an event; other agents use that name for ${own}`;
    return { code: 'unknown-event', message, hint: `rename it to ${own}` };
  }
  const near = findNearestName(eventName, [...new Set([...firedEventNames, ...agentEventNames])]);
  if (near !== undefined && near !== eventName) {
    const hint = `did you mean "${near}"?`;
    return { code: 'unknown-event', message: `is not an event; ${hint}`, hint };
  }
  const hint = 'name the event in `events` of the host, or put the hook under an event that it fires';
  const isName = !(eventName in {}) && !isPrototypeKey(eventName);
  if (isName) return { code: 'event-not-fired', message: 'is not fired by this host', hint };
  return { code: 'unknown-event', message: 'is not an event', hint: KNOWN_EVENTS_TEXT };
};

const KNOWN_EVENTS_TEXT = `known events: ${hookEventNames.join(', ')}`;

type UnknownEventCode = 'unknown-event' | 'event-not-fired';

/** Levels from the value of `hooks` down to an entry: event, list, group, list, entry. */
const MAX_SETTINGS_DEPTH = 6;

/** Includes guards with an invalid `onFault` or verdict, and guards below a misspelt key. */
export const containsGuard = (value: unknown, depth = 0): boolean => {
  const isBelow = (below: unknown): boolean => depth < MAX_SETTINGS_DEPTH && containsGuard(below, depth + 1);
  return (
    attempt(() => {
      if (Array.isArray(value)) return value.some(isBelow);
      if (!isRecord(value)) return false;
      if (isGuardEntry(value) || hasMisspeltOnFault(value) || value.type === HookType.Rule) return true;
      return Object.keys(value).some((key) => !fieldNames().includes(key) && isBelow(value[key]));
    }) === true
  );
};

const findEntryName = (entry: unknown): string => {
  try {
    if (isRecord(entry) && typeof entry.name === 'string') return entry.name;
    if (isRecord(entry) && typeof entry.command === 'string') return entry.command;
  } catch {
    return 'unreadable entry';
  }
  return `unnamed entry (${describeValue(entry)})`;
};
