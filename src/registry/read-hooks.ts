import { hookEventNames, isHookEventName } from '../events/catalogue.ts';
import { describeThrown, describeValue, isRecord } from '../protocol/json.ts';
import { suggestion } from '../protocol/nearest.ts';
import type { RowSource, SkipReason } from '../protocol/rows.ts';
import {
  type ConfigProblem,
  type ConfigSource,
  definitionKeys,
  type Finding,
  type HookConfig,
  hookKey,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
} from '../protocol/settings.ts';
import type { HookIds } from './hook-id.ts';

/** One entry of a configuration, whether or not it can ever run. */
export interface ConfiguredHook {
  readonly hookId: string;
  readonly name: string;
  /** As written: an event nobody knows is kept, so that its row can say so. */
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  readonly sequential: boolean;
  /** Absent when the entry could not be read. */
  readonly config?: HookConfig;
  /** What keeps it from running before any matcher is looked at. */
  readonly barriers: readonly SkipReason[];
  readonly hint?: string;
}

export interface Reading {
  readonly hooks: ConfiguredHook[];
  readonly problems: ConfigProblem[];
}

export interface Origin {
  readonly source: ConfigSource;
  readonly extension?: string;
  /** Reasons that hold for everything from here. */
  readonly barriers: readonly SkipReason[];
}

/** Switches that older settings files keep beside the events. */
const switches: readonly string[] = ['enabled', 'disabled', 'notifications'];

class HooksReader {
  readonly #origin: Origin;
  readonly #ids: HookIds;
  readonly hooks: ConfiguredHook[] = [];
  readonly problems: ConfigProblem[] = [];

  constructor(origin: Origin, ids: HookIds) {
    this.#origin = origin;
    this.#ids = ids;
  }

  #report(finding: Finding, about?: unknown): void {
    const guardLost = finding.skipped && holdsGuard(about);
    this.problems.push({ severity: guardLost ? 'error' : 'warning', source: this.#origin.source, ...finding });
  }

  #reportUnreadable(path: string, error: unknown): void {
    this.#report({ skipped: true, path, message: `${path} cannot be read: ${describeThrown(error)}` });
  }

  read(settings: unknown): void {
    try {
      this.#readSettings(settings);
    } catch (error) {
      this.#reportUnreadable('hooks', error);
    }
  }

  #readSettings(settings: unknown): void {
    if (settings === undefined || settings === null) return;
    if (!isRecord(settings)) {
      reportMismatch(
        (finding) => this.#report(finding),
        'hooks',
        'an object from event names to definitions',
        settings,
      );
      return;
    }
    for (const eventName of Object.keys(settings)) {
      try {
        this.#readEvent(eventName, settings[eventName]);
      } catch (error) {
        const path = `hooks.${eventName}`;
        this.#reportUnreadable(path, error);
        this.#place(eventName, undefined, undefined, {}, ['invalid-config'], `${path} cannot be read`);
      }
    }
  }

  #readEvent(eventName: string, definitions: unknown): void {
    const path = `hooks.${eventName}`;
    if (!isHookEventName(eventName) && switches.includes(eventName)) {
      const hint = `write it as hooksConfig.${eventName}`;
      this.#report({
        skipped: true,
        path,
        message: `${path} is a switch, not an event, and has no effect here; ${hint}`,
        hint,
      });
      return;
    }
    if (!isHookEventName(eventName)) {
      const hint = `known events: ${hookEventNames.join(', ')}`;
      const near = suggestion(eventName, hookEventNames);
      const message = `${path} is not an event${near}`;
      this.#report({ skipped: true, path, message, expected: hint, hint: near || hint }, definitions);
      this.#placeAll(eventName, definitions, ['unknown-event'], `"${eventName}" is not an event${near}`);
      return;
    }
    if (!Array.isArray(definitions)) {
      reportMismatch((finding) => this.#report(finding, definitions), path, 'an array of definitions', definitions);
      this.#place(eventName, definitions, undefined, {}, ['invalid-config'], `${path} must be an array`);
      return;
    }
    for (const [index, definition] of definitions.entries()) {
      const at = `${path}[${index}]`;
      try {
        this.#readDefinition(eventName, definition, at);
      } catch (error) {
        this.#reportUnreadable(at, error);
        this.#place(eventName, definition, undefined, {}, ['invalid-config'], `${at} cannot be read`);
      }
    }
  }

  #readDefinition(eventName: string, definition: unknown, path: string): void {
    if (!isRecord(definition) || !Array.isArray(definition.hooks)) {
      const looksLikeHook = isRecord(definition) && ('command' in definition || 'action' in definition);
      const hint = looksLikeHook ? 'wrap it: {"hooks": [ … ]}' : undefined;
      const found = isRecord(definition) ? definition.hooks : definition;
      const at = isRecord(definition) ? `${path}.hooks` : path;
      reportMismatch(
        (finding) => this.#report(finding, definition),
        at,
        `an array of hooks for ${eventName}`,
        found,
        hint,
      );
      this.#place(eventName, definition, undefined, {}, ['invalid-config'], `${at} must be an array of hooks`);
      return;
    }
    for (const key of Object.keys(definition)) {
      if (!definitionKeys.includes(key))
        reportUnknownKey((finding) => this.#report(finding), path, key, definitionKeys);
    }
    const { matcher, sequential } = definition;
    const matcherOk = matcher === undefined || matcher === null || typeof matcher === 'string';
    if (!matcherOk) {
      const report = (finding: Finding) => this.#report(finding, definition);
      reportMismatch(report, `${path}.matcher`, 'a string', matcher);
    }
    if (sequential !== undefined && typeof sequential !== 'boolean') {
      const message = `${path}.sequential must be true or false, found ${describeValue(sequential)}; false is used`;
      this.#report({ skipped: false, path: `${path}.sequential`, message });
    }
    const group = { ...(typeof matcher === 'string' ? { matcher } : {}), sequential: sequential === true };
    for (const [index, entry] of definition.hooks.entries()) {
      const at = `${path}.hooks[${index}]`;
      if (matcherOk) this.#readEntry(eventName, entry, at, group);
      else this.#place(eventName, entry, undefined, group, ['invalid-config'], `${path}.matcher must be a string`);
    }
  }

  #readEntry(eventName: string, entry: unknown, path: string, group: Group): void {
    const messages: string[] = [];
    const report = (finding: Finding): void => {
      if (finding.skipped) messages.push(finding.message);
      this.#report(finding, entry);
    };
    let config: HookConfig | undefined;
    try {
      config = readHookConfig(entry, path, report);
    } catch (error) {
      report({ skipped: true, path, message: `${path} cannot be read: ${describeThrown(error)}` });
    }
    const invalid = config === undefined;
    this.#place(
      eventName,
      entry,
      config,
      group,
      invalid ? ['invalid-config'] : [],
      invalid ? messages.join('; ') : undefined,
    );
  }

  /** Every entry below an unusable key gets its row, as far as entries can be made out. */
  #placeAll(eventName: string, definitions: unknown, barriers: readonly SkipReason[], hint: string): void {
    const groups = Array.isArray(definitions) ? definitions : [definitions];
    for (const group of groups) {
      const entries = isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [group];
      for (const entry of entries) this.#place(eventName, entry, undefined, {}, barriers, hint);
    }
  }

  #place(
    eventName: string,
    entry: unknown,
    config: HookConfig | undefined,
    group: Group,
    barriers: readonly SkipReason[],
    hint: string | undefined,
  ): void {
    const { source, extension } = this.#origin;
    this.hooks.push({
      hookId: this.#ids.idFor({ source, extension, eventName }, entry, config),
      name: config === undefined ? nameInside(entry) : hookKey(config),
      eventName,
      source: { kind: source, ...(extension === undefined ? {} : { extension }) },
      ...(group.matcher === undefined ? {} : { matcher: group.matcher }),
      sequential: group.sequential === true,
      ...(config === undefined ? {} : { config }),
      barriers: [...barriers, ...this.#origin.barriers],
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

/** Whether a hook among these turns its faults into refusals: whoever wrote it would not want to miss it. */
const holdsGuard = (value: unknown): boolean => {
  try {
    if (Array.isArray(value)) return value.some(holdsGuard);
    return isRecord(value) && (value.onFault === 'deny' || holdsGuard(value.hooks));
  } catch {
    return false;
  }
};

interface Group {
  readonly matcher?: string;
  readonly sequential?: boolean;
}

const nameInside = (entry: unknown): string => {
  try {
    if (isRecord(entry) && typeof entry.name === 'string') return entry.name;
    if (isRecord(entry) && typeof entry.command === 'string') return entry.command;
  } catch {
    return 'unreadable entry';
  }
  return `unnamed entry (${describeValue(entry)})`;
};

/** Reads one `hooks` object. It never throws: what cannot be used becomes a problem and a row. */
export const readHooks = (settings: unknown, origin: Origin, ids: HookIds): Reading => {
  const reader = new HooksReader(origin, ids);
  reader.read(settings);
  return { hooks: reader.hooks, problems: reader.problems };
};
