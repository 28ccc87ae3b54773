import { hookEventNames, isBudget, isHookEventName } from '../../events/index.ts';
import { describeValue, isRecord, nearest, suggestion } from '../../kit/index.ts';
import {
  extensionFileKeys,
  type FilePosition,
  millisecondsOf,
  settingsFileKeys,
  settingsSections,
} from '../../protocol/index.ts';
import type { SourceFile } from '../source-file.ts';
import type { SettingsDocument } from './document.ts';
import { MAX_UNKNOWN_KEYS } from './file-limits.ts';

/** A name in a list, and where it stands. */
export interface ListedName {
  readonly name: string;
  readonly path: string;
  readonly position: FilePosition | undefined;
}

/** What one file says beside its hooks. */
export interface Switches {
  /** Whether the file wants its hooks to run; undefined when it does not say. */
  readonly enabled?: boolean | undefined;
  readonly enabledAt?: ListedName | undefined;
  readonly disabled: readonly ListedName[];
  readonly allowedEnv: readonly ListedName[];
  /** Whether hooks of projects see only variables that are listed. */
  readonly isEnvListed?: boolean | undefined;
  /** What the hooks of events may take, in milliseconds. */
  readonly budgets: ReadonlyMap<string, number>;
  /** Guards without which nothing starts. */
  readonly required: readonly ListedName[];
  /** Whether decisions are kept; undefined when the file does not say. */
  readonly journal?: ListedFlag | undefined;
}

/** True or false, and where it stands. */
export interface ListedFlag {
  readonly on: boolean;
  readonly path: string;
  readonly position: FilePosition | undefined;
}

export const noSwitches: Switches = { disabled: [], allowedEnv: [], budgets: new Map(), required: [] };

/** Further problems are not reported. */
const MAX_UNKNOWN = 50;

class SwitchReader {
  readonly #document: SettingsDocument;

  constructor(document: SettingsDocument) {
    this.#document = document;
  }

  #mismatch(path: string, expected: string, value: unknown, position: FilePosition | undefined): void {
    const found = describeValue(value);
    const message = `${path} must be ${expected}, found ${found}`;
    this.#document.report({ code: 'invalid-value', skipped: true, path, message, expected, found }, position);
  }

  section(key: string): Record<string, unknown> {
    const read = this.#document.read(key);
    if (read === undefined) return {};
    if (isRecord(read.value)) return read.value;
    this.#mismatch(key, 'an object', read.value, this.#document.positionOf(key));
    return {};
  }

  flag(section: Record<string, unknown>, key: string, path: string): boolean | undefined {
    const value = section[key];
    if (value === undefined || typeof value === 'boolean') return value;
    this.#mismatch(path, 'true or false', value, this.#document.positionOf(path));
    return undefined;
  }

  /** A flag at the top of the file. */
  topFlag(key: string): ListedFlag | undefined {
    const value = this.#document.read(key)?.value;
    const position = this.#document.positionOf(key);
    if (typeof value === 'boolean') return { on: value, path: key, position };
    if (value !== undefined) this.#mismatch(key, 'true or false', value, position);
    return undefined;
  }

  names(value: unknown, path: string, position: FilePosition | undefined): ListedName[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#mismatch(path, 'an array of names', value, position);
      return [];
    }
    return value.flatMap((name: unknown, index) => {
      const at = `${path}[${index}]`;
      const where = this.#document.positionOf(at);
      if (typeof name === 'string') return [{ name, path: at, position: where }];
      this.#mismatch(at, 'a name', name, where);
      return [];
    });
  }

  /** A word that is neither means the narrower one: its author wanted to withhold something. */
  isEnvListed(value: unknown): boolean {
    if (value === undefined || value === 'all') return false;
    if (value !== 'listed')
      this.#mismatch('projectEnv', '"all" or "listed"', value, this.#document.positionOf('projectEnv'));
    return true;
  }

  /** Unknown keys of our own files; in a file of another agent they may be the agent's. */
  unknownKeys(section: string | undefined): void {
    const known = settingsKeys(this.#document.file, section);
    const unknown = this.#document.keysOf(section).filter(({ key }) => !known.includes(key));
    for (const { key, position } of unknown.slice(0, MAX_UNKNOWN)) {
      const path = section === undefined ? key : `${section}.${key}`;
      const hint = section === undefined && isHookEventName(key) ? 'put it into "hooks"' : hintFor(key, known);
      this.#document.report(
        { code: 'unknown-key', skipped: false, path, message: `${path} is unknown; ${hint}`, hint },
        position,
      );
    }
    if (unknown.length <= MAX_UNKNOWN) return;
    const message = `${unknown.length - MAX_UNKNOWN} more keys are unknown; this is probably not a settings file`;
    this.#document.report(
      { code: 'unknown-key', skipped: false, path: section ?? '', message },
      unknown[MAX_UNKNOWN]?.position,
    );
  }
}

const hintFor = (key: string, known: readonly string[]): string => {
  const near = nearest(key, known);
  return near === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${near}"?`;
};

const withoutDuplicates = (names: readonly ListedName[]): ListedName[] => [
  ...new Map(names.map((listed) => [listed.name, listed])).values(),
];

/** Reads all of a file but its hooks. */
export const readSwitches = (document: SettingsDocument): Switches => {
  const reader = new SwitchReader(document);
  const { family, scope } = document.file;
  if (family === 'hookwright') {
    reader.unknownKeys(undefined);
    reader.unknownKeys('hooksConfig');
    reader.unknownKeys('tools');
  }
  if (scope === 'extensions') return noSwitches;
  const hooksConfig = reader.section('hooksConfig');
  const tools = reader.section('tools');
  const older = family === 'gemini' ? document.read('hooks')?.value : undefined;
  const beside = isRecord(older) ? older : {};
  const flags = [
    { path: 'hooksConfig.enabled', section: hooksConfig, key: 'enabled' },
    { path: 'tools.enableHooks', section: tools, key: 'enableHooks' },
    { path: 'hooks.enabled', section: beside, key: 'enabled' },
  ].flatMap(({ path, section, key }) => {
    const on = reader.flag(section, key, path);
    return on === undefined ? [] : [{ on, name: `${path}: ${on}`, path, position: document.positionOf(path) }];
  });
  const deciding = flags.find(({ on }) => !on) ?? flags[0];
  const list = (section: Record<string, unknown>, key: string, path: string): ListedName[] =>
    reader.names(section[key], path, document.positionOf(path));
  const allowEnv = document.read('allowEnv')?.value;
  const required = family === 'hookwright' ? document.read('required')?.value : undefined;
  const projectEnv = family === 'hookwright' ? document.read('projectEnv')?.value : undefined;
  return {
    enabled: deciding?.on,
    enabledAt: deciding,
    disabled: withoutDuplicates([
      ...list(hooksConfig, 'disabled', 'hooksConfig.disabled'),
      ...list(beside, 'disabled', 'hooks.disabled'),
    ]),
    allowedEnv: family === 'hookwright' ? reader.names(allowEnv, 'allowEnv', document.positionOf('allowEnv')) : [],
    isEnvListed: reader.isEnvListed(projectEnv),
    journal: family === 'hookwright' ? reader.topFlag('journal') : undefined,
    required: reader.names(required, 'required', document.positionOf('required')),
    budgets: family === 'hookwright' ? readBudgets(document) : new Map(),
  };
};

const KEY = 'budgetMs';

/** What a file says the hooks of events may take; what cannot be used is left out and told. */
const readBudgets = (document: SettingsDocument): ReadonlyMap<string, number> => {
  const budgets = new Map<string, number>();
  const read = document.read(KEY);
  if (read === undefined) return budgets;
  const { value: section } = read;
  const at = (path: string) => document.positionOf(path);
  const mismatch = (path: string, expected: string, value: unknown, hint?: string): void => {
    const found = describeValue(value);
    const message = `${path} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
    const more = hint === undefined ? {} : { hint };
    document.report({ code: 'invalid-value', skipped: true, path, message, expected, found, ...more }, at(path));
  };
  if (!isRecord(section)) {
    mismatch(KEY, 'an object of milliseconds by event', section);
    return budgets;
  }
  const entries = Object.entries(section);
  if (entries.length > MAX_UNKNOWN_KEYS) {
    const message = `${KEY} has ${entries.length} keys; at most ${MAX_UNKNOWN_KEYS} are read, the rest is left out`;
    document.report({ code: 'limit-reached', skipped: true, path: KEY, message }, document.positionOf(KEY), 'error');
  }
  for (const [eventName, value] of entries.slice(0, MAX_UNKNOWN_KEYS)) {
    const path = `${KEY}.${eventName}`;
    if (!isHookEventName(eventName)) {
      const message = `${path} is not an event${suggestion(eventName, hookEventNames)}`;
      document.report({ code: 'unknown-name', skipped: true, path, message }, at(path));
    } else if (isBudget(value)) {
      budgets.set(eventName, value);
    } else {
      const meant = typeof value === 'string' ? millisecondsOf(value) : undefined;
      mismatch(path, 'milliseconds over 0', value, meant === undefined ? undefined : `write ${meant}`);
    }
  }
  return budgets;
};

/** What may stand in a file of ours, or in a section of it. Sections that are not ours have no keys. */
const settingsKeys = ({ scope }: SourceFile, section: string | undefined): readonly string[] => {
  if (section !== undefined) {
    const sections: Readonly<Record<string, object>> = settingsSections();
    return Object.keys(sections[section] ?? {});
  }
  return scope === 'extensions' ? extensionFileKeys : settingsFileKeys;
};
