// Reads a `hooks` object into configured hooks and problems.
import {
  agentEventNames,
  catalogue,
  findEventByOtherName,
  firedEventNames,
  hookEventNames,
  isHookEventName,
} from '../events/index.ts';
import {
  describeThrown,
  describeValue,
  explainBadPattern,
  findNearestName,
  isPrototypeKey,
  isRecord,
} from '../kit/index.ts';
import {
  type ConfigProblem,
  type ConfigSource,
  definitionKeys,
  type HookConfig,
  type HookOrigin,
  HookType,
  hasMisspeltOnFault,
  hookKey,
  isGuardEntry,
  isMisspeltGuardKey,
  matcherHint,
  originOf,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
  type SettingsFinding,
  type SettingsSheet,
  type SkipReason,
  suggestMatcher,
  unreadMatcher,
  withOrigin,
} from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';
import { plainIdOf } from './hook-id.ts';
import { hookStartsHookwright, OWN_LINE_HINT, reportLaunchSlips, reportRefusedVariables } from './launch-checks.ts';

/** The hooks and problems of one source. */
export interface HookReading {
  readonly hooks: ConfiguredHook[];
  readonly problems: ConfigProblem[];
  /** The trust check judged the hooks already. The same reading object keeps its judgement. */
  readonly isJudged?: boolean;
}

export interface HooksOrigin {
  readonly source: ConfigSource;
  readonly extension?: string;
  /** Reasons that apply to every hook of this source. */
  readonly barriers: readonly SkipReason[];
  /** The file with the settings. */
  readonly sheet?: SettingsSheet | undefined;
}

/** A value that is being read: its path, and for a file also the file and facts about the entry. */
interface Spot extends Pick<HookOrigin, 'sheet' | 'dialect' | 'written' | 'flaw'> {
  readonly path: string;
}

/** A value from a file keeps its path there, even if it was moved in the object. */
const spotOf = (value: unknown, { path, sheet, flaw }: Spot): Spot => {
  try {
    const own = isRecord(value) ? originOf(value) : undefined;
    if (own?.path !== undefined) return { ...own, path: own.path };
  } catch {
    // A revoked proxy; reading it reports the error.
  }
  return { path, sheet, flaw };
};

interface Group {
  readonly matcher?: string | undefined;
  readonly sequential?: boolean;
}

interface Entry {
  readonly spot: Spot;
  readonly config?: HookConfig | undefined;
  readonly group?: Group;
  readonly barriers?: readonly SkipReason[];
  readonly hint?: string | undefined;
}

/** The list for a single group or a command. */
const listHint = (eventName: string, found: unknown): string | undefined => {
  if (isRecord(found)) return `put it into a list: "${eventName}": [{ … }]`;
  if (typeof found !== 'string') return undefined;
  return `write "${eventName}": [{"hooks": [{"command": ${JSON.stringify(found)}}]}]`;
};

/** The matcher for a list of names. */
const namesHint = (found: unknown): string | undefined =>
  Array.isArray(found) ? `write ${JSON.stringify(found.map(String).join('|'))}` : undefined;

/** Switches that older settings files have next to the events. */
export const olderSwitches: readonly string[] = ['enabled', 'disabled', 'notifications'];

const ownBarriers: readonly SkipReason[] = ['duplicate'];

class HooksReader {
  readonly #origin: HooksOrigin;
  readonly #types: readonly string[] | undefined;
  readonly hooks: ConfiguredHook[] = [];
  readonly problems: ConfigProblem[] = [];

  constructor(origin: HooksOrigin, types: readonly string[] | undefined) {
    this.#origin = origin;
    this.#types = types;
  }

  #report({ sheet }: Spot, finding: SettingsFinding, about?: unknown): void {
    const guardLost = finding.skipped && containsGuard(about);
    const at = sheet?.positionOf(finding.path);
    const isDisarmed = guardLost && (finding.code === 'unknown-key' || /\.(?:onFault|verdict)$/.test(finding.path));
    const message = isDisarmed ? `${finding.message}; the guard will not run` : finding.message;
    const severity = guardLost ? 'error' : 'warning';
    this.problems.push({ severity, source: this.#origin.source, ...finding, message, ...at });
  }

  #reportUnreadable(spot: Spot, error: unknown): void {
    const { path } = spot;
    this.#report(spot, {
      code: 'invalid-value',
      skipped: true,
      path,
      message: `${path} cannot be read: ${describeThrown(error)}`,
    });
  }

  read(settings: unknown): void {
    const spot: Spot = { path: 'hooks', sheet: this.#origin.sheet };
    try {
      this.#readSettings(settings, spot);
    } catch (error) {
      this.#reportUnreadable(spot, error);
    }
  }

  #readSettings(settings: unknown, spot: Spot): void {
    if (settings === undefined || settings === null) return;
    if (!isRecord(settings)) {
      const report = (finding: SettingsFinding) => this.#report(spot, finding);
      reportMismatch(report, spot.path, 'an object from event names to definitions', settings);
      return;
    }
    for (const eventName of Object.keys(settings)) {
      const path = `${spot.path}.${eventName}`;
      try {
        this.#readEvent(eventName, settings[eventName], { ...spot, path });
      } catch (error) {
        this.#reportUnreadable({ ...spot, path }, error);
        this.#placeInvalid(eventName, undefined, { ...spot, path }, `${path} cannot be read`);
      }
    }
  }

  #readEvent(eventName: string, definitions: unknown, spot: Spot): void {
    const { path } = spot;
    if (!isHookEventName(eventName) && olderSwitches.includes(eventName)) {
      const hint = `write it as hooksConfig.${eventName}`;
      const message = `${path} is a switch, not an event, and has no effect here; ${hint}`;
      this.#report(spot, { code: 'no-effect', skipped: true, path, message, hint });
      return;
    }
    if (!isHookEventName(eventName)) {
      const { message, ...finding } = missingEvent(eventName);
      const { code } = finding;
      const isMistake = code === 'unknown-event';
      const expected = isMistake ? { expected: knownEvents } : {};
      const told = { ...finding, ...expected, skipped: true, path, message: `${path} ${message}` };
      this.#report(spot, told, isMistake ? definitions : undefined);
      this.#placeMissing(eventName, definitions, spot, code, `"${eventName}" ${message}`);
      return;
    }
    if (!Array.isArray(definitions)) {
      const report = (finding: SettingsFinding) => this.#report(spot, finding, definitions);
      reportMismatch(report, path, 'an array of definitions', definitions, listHint(eventName, definitions));
      this.#placeInvalid(eventName, definitions, spot, `${path} must be an array`);
      return;
    }
    for (const [index, definition] of definitions.entries()) {
      const at = spotOf(definition, { ...spot, path: `${path}[${index}]` });
      try {
        this.#readDefinition(eventName, definition, at);
      } catch (error) {
        this.#reportUnreadable(at, error);
        this.#placeInvalid(eventName, definition, at, `${at.path} cannot be read`);
      }
    }
  }

  #readDefinition(eventName: string, definition: unknown, spot: Spot): void {
    const { path } = spot;
    const report = (finding: SettingsFinding): void => this.#report(spot, finding, definition);
    if (isRecord(definition) && definition.hooks === undefined && definition.verdict !== undefined) {
      this.#readRule(eventName, definition, spot);
      return;
    }
    if (!isRecord(definition) || !Array.isArray(definition.hooks)) {
      const looksLikeHook = isRecord(definition) && ('command' in definition || 'action' in definition);
      const hint = looksLikeHook ? 'wrap it: {"hooks": [ … ]}' : undefined;
      const found = isRecord(definition) ? definition.hooks : definition;
      const at = isRecord(definition) ? `${path}.hooks` : path;
      reportMismatch(report, at, `an array of hooks for ${eventName}`, found, hint);
      this.#placeInvalid(eventName, definition, spot, `${at} must be an array of hooks`);
      return;
    }
    // Without its matcher a guard would decide about every call.
    const misspelt = containsGuard(definition.hooks)
      ? Object.keys(definition).find((key) => !definitionKeys.includes(key) && isMisspeltGuardKey(key))
      : undefined;
    for (const key of Object.keys(definition)) {
      if (!definitionKeys.includes(key)) reportUnknownKey(report, path, key, definitionKeys, key === misspelt);
    }
    const { matcher, sequential } = definition;
    const isText = matcher === undefined || matcher === null || typeof matcher === 'string';
    if (!isText) reportMismatch(report, `${path}.matcher`, 'a string', matcher, namesHint(matcher));
    if (sequential !== undefined && typeof sequential !== 'boolean') {
      const message = `${path}.sequential must be true or false, found ${describeValue(sequential)}; false is used`;
      this.#report(spot, { code: 'invalid-value', skipped: false, path: `${path}.sequential`, message });
    }
    const group = { ...(typeof matcher === 'string' ? { matcher } : {}), sequential: sequential === true };
    this.#reportMatcher(eventName, definition.hooks, spot, matcher);
    for (const [index, entry] of definition.hooks.entries()) {
      const at = spotOf(entry, { ...spot, path: `${path}.hooks[${index}]` });
      if (!isText) this.#placeInvalid(eventName, entry, at, `${path}.matcher must be a string`, group);
      else if (misspelt !== undefined)
        this.#placeInvalid(eventName, entry, at, `${path}.${misspelt} is unknown`, group);
      else this.readEntry(eventName, entry, at, group);
    }
  }

  /** A rule can be in place of a group: `{"matcher": "Bash", "if": …, "verdict": "deny"}`. */
  #readRule(eventName: string, { matcher, sequential, ...rule }: Readonly<Record<string, unknown>>, spot: Spot): void {
    const group = { ...(typeof matcher === 'string' ? { matcher } : {}), sequential: sequential === true };
    if (matcher !== undefined && typeof matcher !== 'string') {
      const report = (finding: SettingsFinding): void => this.#report(spot, finding, rule);
      reportMismatch(report, `${spot.path}.matcher`, 'a string', matcher, namesHint(matcher));
      this.#placeInvalid(eventName, rule, spot, `${spot.path}.matcher must be a string`, group);
      return;
    }
    this.#reportMatcher(eventName, [rule], spot, matcher);
    this.readEntry(eventName, rule, spot, group);
  }

  /** Reports an invalid matcher: a guard with one runs for every call. */
  #reportMatcher(eventName: string, entries: readonly unknown[], spot: Spot, matcher: unknown): void {
    if (typeof matcher !== 'string' || spot.dialect !== undefined) return;
    const text = matcher.trim();
    if (!isHookEventName(eventName) || text === '' || text === '*') return;
    // Entries of other agents are read by that agent's rules.
    const isOurs = !entries.some((entry) => isRecord(entry) && entry.agent !== undefined);
    const path = `${spot.path}.matcher`;
    if (catalogue[eventName].subject === undefined) {
      if (!isOurs) return;
      const message = `${path} has no effect: ${eventName} has nothing to compare it with, so the hooks always run`;
      this.#report(spot, { code: 'no-effect', skipped: false, path, message, hint: 'remove the matcher' });
      return;
    }
    const hint = isOurs ? suggestMatcher(text) : undefined;
    if (hint !== undefined) {
      const message = `${path}: ${JSON.stringify(text)} is one regular expression, and no tool has such a name`;
      this.#report(spot, { code: 'invalid-matcher', skipped: false, path, message, hint });
      return;
    }
    const problem = explainBadPattern(text);
    if (problem === undefined) return;
    const isGuard = entries.some((entry) => isRecord(entry) && isGuardEntry(entry));
    const message = `${path}: ${unreadMatcher(text, problem, isGuard)}`;
    this.#report(spot, { code: 'invalid-matcher', skipped: false, path, message, hint: matcherHint(text) });
  }

  readEntry(eventName: string, entry: unknown, spot: Spot, group: Group): void {
    const { sheet, dialect, flaw } = spot;
    const messages = flaw === undefined ? [] : [flaw];
    const report = (finding: SettingsFinding): void => {
      if (finding.skipped) messages.push(finding.message);
      this.#report(spot, finding, entry);
    };
    let config: HookConfig | undefined;
    try {
      const hasTimeUnit = isRecord(entry) && originOf(entry)?.hasTimeUnit === true;
      const isFile = sheet !== undefined;
      config = readHookConfig(entry, spot.path, report, { types: this.#types, isFile, hasTimeUnit });
    } catch (error) {
      report({
        code: 'invalid-value',
        skipped: true,
        path: spot.path,
        message: `${spot.path} cannot be read: ${describeThrown(error)}`,
      });
    }
    const isMissing = config?.agent !== undefined && dialect === undefined && flaw === undefined;
    if (isMissing) {
      const message = `${spot.path}.agent works in settings files only; with hooks in code, write them for hookwright`;
      report({ code: 'not-supported', skipped: true, path: `${spot.path}.agent`, message });
    }
    if (config === undefined || flaw !== undefined || isMissing) {
      this.#placeInvalid(eventName, entry, spot, messages.join('; '), group);
      return;
    }
    const odd = dialect?.matcherProblem;
    if (odd?.fix !== undefined)
      report({ code: 'invalid-matcher', skipped: false, path: spot.path, message: odd.message, hint: odd.fix });
    reportLaunchSlips(eventName, config, spot.path, report);
    if (sheet !== undefined) reportRefusedVariables(config, this.#origin.source, spot.path, report);
    const own =
      sheet !== undefined && hookStartsHookwright(config) ? { barriers: ownBarriers, hint: OWN_LINE_HINT } : {};
    this.#place(eventName, entry, { spot, config, group, ...own });
  }

  /** Adds a row for every entry below an unusable key, as far as entries can be recognised. */
  #placeMissing(eventName: string, definitions: unknown, spot: Spot, barrier: SkipReason, hint: string): void {
    const groups = Array.isArray(definitions) ? definitions : [definitions];
    for (const group of groups) {
      const entries = isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [group];
      const within = spotOf(group, spot);
      for (const entry of entries) {
        this.#place(eventName, entry, { spot: spotOf(entry, within), barriers: [barrier], hint });
      }
    }
  }

  #placeInvalid(eventName: string, entry: unknown, spot: Spot, hint: string, group: Group = {}): void {
    this.#place(eventName, entry, { spot, group, barriers: ['invalid-config'], hint });
  }

  #place(eventName: string, entry: unknown, { spot, config, group = {}, barriers = [], hint }: Entry): void {
    const { source, extension } = this.#origin;
    const { sheet, path, dialect, written } = spot;
    const position = sheet?.positionOf(path);
    const name = config === undefined ? nameInside(entry) : hookKey(config);
    const fix = hint ?? sheet?.hint;
    this.hooks.push({
      hookId: plainIdOf({ source, extension, eventName }, entry, config),
      name,
      eventName,
      source: {
        kind: source,
        ...(extension === undefined ? {} : { extension }),
        ...(position === undefined ? {} : { file: position.file, line: position.line }),
      },
      ...(group.matcher === undefined ? {} : { matcher: group.matcher }),
      sequential: group.sequential === true,
      ...(dialect === undefined ? {} : { dialect: dialect.name }),
      ...(config === undefined
        ? {}
        : {
            config: withOrigin(config, {
              source,
              extension,
              position,
              ...(sheet === undefined ? {} : { sheet, path }),
              written,
              dialect,
              projectDir: sheet?.projectDir,
              programInProject: sheet?.programInProject?.(config, dialect),
            }),
          }),
      barriers: [...barriers, ...this.#origin.barriers, ...(sheet?.barriers ?? [])],
      ...(fix === undefined ? {} : { hint: fix }),
      ...(sheet?.isExposed === true && config !== undefined
        ? { approved: { onFault: config.onFault, matcher: group.matcher } }
        : {}),
      ...(sheet?.disabled?.has(name) === true ? { disabled: true } : {}),
    });
  }
}

/**
 * Reads a `hooks` object. Never throws: an invalid entry becomes a problem and a row. `types` are the allowed types of
 * hooks. Equal hooks have the same id until the registry numbers them.
 */
export const readHooks = (settings: unknown, origin: HooksOrigin, types?: readonly string[]): HookReading => {
  const reader = new HooksReader(origin, types);
  reader.read(settings);
  return { hooks: reader.hooks, problems: reader.problems };
};

/** A hook of another agent's file, as an entry of ours. */
export interface LocatedEntry extends Group {
  readonly eventName: string;
  /** Carries its origin. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Reads single entries, outside of a `hooks` object. */
export const readEntries = (
  entries: readonly LocatedEntry[],
  origin: HooksOrigin,
  types?: readonly string[],
): HookReading => {
  const reader = new HooksReader(origin, types);
  for (const { eventName, entry, ...group } of entries) {
    reader.readEntry(eventName, entry, spotOf(entry, { path: 'hooks', sheet: origin.sheet }), group);
  }
  return { hooks: reader.hooks, problems: reader.problems };
};

/**
 * The finding about an unknown event: a name similar to a known one is a mistake, any other may be an event of another
 * host.
 */
const missingEvent = (
  eventName: string,
): Omit<SettingsFinding, 'skipped' | 'path' | 'code'> & { code: MissingCode } => {
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
  return { code: 'unknown-event', message: 'is not an event', hint: knownEvents };
};

const knownEvents = `known events: ${hookEventNames.join(', ')}`;

type MissingCode = 'unknown-event' | 'event-not-fired';

/** Whether the value contains a guard, even one with an invalid `onFault` or verdict. */
export const containsGuard = (value: unknown): boolean => {
  try {
    if (Array.isArray(value)) return value.some(containsGuard);
    if (!isRecord(value)) return false;
    const { onFault, verdict, type, hooks } = value;
    const isHarmless = onFault === undefined || onFault === 'allow' || onFault === 'ask';
    if (!isHarmless || hasMisspeltOnFault(value)) return true;
    return verdict !== undefined || type === HookType.Rule || containsGuard(hooks);
  } catch {
    return false;
  }
};

/** The name of an unreadable entry, by which its author can find it. */
const nameInside = (entry: unknown): string => {
  try {
    if (isRecord(entry) && typeof entry.name === 'string') return entry.name;
    if (isRecord(entry) && typeof entry.command === 'string') return entry.command;
  } catch {
    return 'unreadable entry';
  }
  return `unnamed entry (${describeValue(entry)})`;
};
