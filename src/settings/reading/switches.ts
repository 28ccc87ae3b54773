/** Reads all members of settings files except hooks, and decides which switches apply to which files. */
import { hookEventNames, isBudget, isHookEventName } from '../../events/index.ts';
import {
  describeValue,
  findNearestName,
  formatSuggestion,
  isRecord,
  isTypingMistake,
  omitUndefined,
} from '../../kit/index.ts';
import {
  extensionFileKeys,
  type FilePosition,
  isGuardKey,
  type NoticeCode,
  parseDuration,
  settingsFileKeys,
  settingsSections,
  suggestKey,
} from '../../protocol/index.ts';
import { containsGuard } from '../../registry/index.ts';
import type { FileFormat, SourceFile } from '../source-file.ts';
import type { FoundFile } from './file-reader.ts';
import type { SettingsDocument } from './settings-document.ts';

export interface FileSwitches {
  readonly enabled?: LocatedFlag | undefined;
  readonly disabled: readonly LocatedName[];
  readonly allowedEnv: readonly LocatedName[];
  /** On if it says `listed`. */
  readonly projectEnv?: LocatedFlag | undefined;
  readonly budgets: ReadonlyMap<string, number>;
  readonly required: readonly LocatedName[];
  readonly journal?: LocatedFlag | undefined;
}

interface LocatedSetting {
  readonly path: string;
  readonly position: FilePosition;
}

export interface LocatedName extends LocatedSetting {
  readonly name: string;
}

interface LocatedFlag extends LocatedSetting {
  readonly on: boolean;
}

export const noSwitches: FileSwitches = { disabled: [], allowedEnv: [], budgets: new Map(), required: [] };

export const readSwitches = (document: SettingsDocument): FileSwitches => {
  const reader = new SwitchReader(document);
  const { family, scope } = document.file;
  const isOwn = family === 'hookwright';
  if (isOwn) for (const section of [undefined, 'hooksConfig', 'tools']) reader.reportUnknownKeys(section);
  if (scope === 'extensions') return noSwitches;
  const hooksConfig = reader.section('hooksConfig');
  const tools = reader.section('tools');
  // Older versions of Gemini CLI wrote these switches beside the events.
  const older = family === 'gemini' ? document.read('hooks')?.value : undefined;
  const beside = isRecord(older) ? older : {};
  const flags = [
    reader.flag('hooksConfig.enabled', hooksConfig.enabled),
    reader.flag('tools.enableHooks', tools.enableHooks),
    reader.flag('hooks.enabled', beside.enabled),
  ].filter((flag) => flag !== undefined);
  const disabled = [
    ...reader.names('hooksConfig.disabled', hooksConfig.disabled),
    ...reader.names('hooks.disabled', beside.disabled),
  ];
  const own = (key: string): unknown => (isOwn ? document.read(key)?.value : undefined);
  return {
    enabled: flags.find(({ on }) => !on) ?? flags[0],
    disabled: [...new Map(disabled.map((listed) => [listed.name, listed])).values()],
    allowedEnv: reader.names('allowEnv', own('allowEnv')),
    projectEnv: reader.projectEnv(own('projectEnv')),
    journal: reader.flag('journal', own('journal')),
    required: reader.names('required', own('required')),
    budgets: reader.budgets(own('budgetMs')),
  };
};

const MAX_SHOWN_UNKNOWN_KEYS = 50;
const MAX_BUDGETS = 100;

class SwitchReader {
  readonly #document: SettingsDocument;

  constructor(document: SettingsDocument) {
    this.#document = document;
  }

  #mismatch(path: string, expected: string, value: unknown, hint?: string): void {
    const found = describeValue(value);
    const message = `${path} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
    const finding = { code: 'invalid-value', skipped: true, path, message, expected, found, hint } as const;
    this.#document.reportAtPath(omitUndefined(finding));
  }

  section(key: string): Record<string, unknown> {
    const read = this.#document.read(key);
    if (read === undefined) return {};
    if (isRecord(read.value)) return read.value;
    this.#mismatch(key, 'an object', read.value);
    return {};
  }

  flag(path: string, value: unknown): LocatedFlag | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'boolean') return { on: value, path, position: this.#document.positionOf(path) };
    this.#mismatch(path, 'true or false', value);
    return undefined;
  }

  names(path: string, value: unknown): LocatedName[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#mismatch(path, 'an array of names', value);
      return [];
    }
    return value.flatMap((name: unknown, index) => {
      const at = `${path}[${index}]`;
      if (typeof name === 'string') return [{ name, path: at, position: this.#document.positionOf(at) }];
      this.#mismatch(at, 'a name', name);
      return [];
    });
  }

  /** An unknown value has the effect of `listed`, which withholds more variables. */
  projectEnv(value: unknown): LocatedFlag | undefined {
    const path = 'projectEnv';
    if (value === undefined) return undefined;
    if (value !== 'all' && value !== 'listed') this.#mismatch(path, '"all" or "listed"', value);
    return { on: value !== 'all', path, position: this.#document.positionOf(path) };
  }

  budgets(section: unknown): ReadonlyMap<string, number> {
    const key = 'budgetMs';
    const budgets = new Map<string, number>();
    if (section === undefined) return budgets;
    if (!isRecord(section)) {
      this.#mismatch(key, 'an object of milliseconds by event', section);
      return budgets;
    }
    const entries = Object.entries(section);
    if (entries.length > MAX_BUDGETS) {
      const message = `${key} has ${entries.length} keys; at most ${MAX_BUDGETS} are read, the rest is left out`;
      this.#document.reportAtPath({ code: 'limit-reached', skipped: true, path: key, message }, 'error');
    }
    for (const [eventName, value] of entries.slice(0, MAX_BUDGETS)) {
      const path = `${key}.${eventName}`;
      if (!isHookEventName(eventName)) {
        const message = `${path} is not an event${formatSuggestion(eventName, hookEventNames)}`;
        this.#document.reportAtPath({ code: 'unknown-name', skipped: true, path, message });
      } else if (isBudget(value)) {
        budgets.set(eventName, value);
      } else {
        const meant = typeof value === 'string' ? parseDuration(value) : undefined;
        this.#mismatch(path, 'milliseconds over 0', value, meant === undefined ? undefined : `write ${meant}`);
      }
    }
    return budgets;
  }

  /** Only for hookwright's own files: in a file of another agent, unknown keys may be the agent's. */
  reportUnknownKeys(section: string | undefined): void {
    const known = listKnownKeys(this.#document.file, section);
    const unknown = this.#document.keysOf(section).filter(({ key }) => !known.includes(key));
    for (const { key, position } of unknown.slice(0, MAX_SHOWN_UNKNOWN_KEYS)) {
      const path = section === undefined ? key : `${section}.${key}`;
      const isEvent = section === undefined && isHookEventName(key);
      const hint = isEvent ? 'put it into "hooks"' : suggestKey(key, known);
      const isHooks = section === undefined && findNearestName(key, known) === 'hooks';
      const value = this.#document.read(key)?.value;
      const isMisplaced = section === undefined && isGuardKey(key);
      const guardLost = isMisplaced
        ? containsGuard({ [key]: value, hooks: this.#document.read('hooks')?.value })
        : (isEvent || isHooks) && containsGuard(value);
      const isRequired = section === undefined && known.includes('required') && isTypingMistake(key, 'required');
      this.#document.report(
        {
          code: 'unknown-key',
          skipped: isEvent || isHooks || isMisplaced || isRequired,
          path,
          message: `${path} is unknown; ${hint}`,
          hint,
        },
        position,
        guardLost || isRequired ? 'error' : 'warning',
      );
    }
    if (unknown.length <= MAX_SHOWN_UNKNOWN_KEYS) return;
    const message = `${unknown.length - MAX_SHOWN_UNKNOWN_KEYS} more keys are unknown; this is probably not a settings file`;
    this.#document.report(
      { code: 'unknown-key', skipped: false, path: section ?? '', message },
      unknown[MAX_SHOWN_UNKNOWN_KEYS]?.position,
    );
  }
}

const listKnownKeys = ({ scope }: SourceFile, section: string | undefined): readonly string[] => {
  if (section === undefined) return scope === 'extensions' ? extensionFileKeys : settingsFileKeys;
  const sections: Readonly<Record<string, object>> = settingsSections();
  return Object.keys(sections[section] ?? {});
};

export interface FileWithSwitches extends FoundFile {
  readonly switches: FileSwitches;
}

export const appliesToAllFiles = ({ scope }: SourceFile): boolean => scope === 'user' || scope === 'system';

export const explainFileOff = (one: FileWithSwitches, all: readonly FileWithSwitches[]): string | undefined => {
  const isOff = ({ switches }: FileWithSwitches): boolean => switches.enabled?.on === false;
  const offForAll = (family: FileFormat): FileWithSwitches | undefined =>
    all.find((file) => appliesToAllFiles(file.file) && file.file.family === family && isOff(file));
  const deciding =
    offForAll('hookwright') ?? (isOff(one) ? one : one.file.family === 'hookwright' ? undefined : offForAll('gemini'));
  return deciding && `${deciding.file.path} says ${deciding.switches.enabled?.path}: false.`;
};

export const listNamesDisabledForAll = (files: readonly FileWithSwitches[]): LocatedName[] =>
  files.filter(({ file }) => appliesToAllFiles(file)).flatMap(({ switches }) => switches.disabled);

export const listNamesDisabledForProject = (files: readonly FileWithSwitches[]): LocatedName[] =>
  files.filter(({ file }) => file.scope === 'project').flatMap(({ switches }) => switches.disabled);

export interface ScopedBudgets {
  readonly forAll: ReadonlyMap<string, number>;
  readonly ofProject: ReadonlyMap<string, number>;
}

export const mergeBudgets = (files: readonly FileWithSwitches[]): ScopedBudgets => {
  const of = (some: readonly FileWithSwitches[]): ReadonlyMap<string, number> =>
    new Map(some.flatMap(({ switches }) => [...switches.budgets]));
  return {
    forAll: of(files.filter(({ file }) => appliesToAllFiles(file))),
    ofProject: of(files.filter(({ file }) => file.scope === 'project')),
  };
};

interface NamedHooks {
  readonly file: SourceFile;
  readonly rows: readonly { readonly name: string }[];
}

const MAX_SHOWN_UNKNOWN_NAMES = 20;

export const reportSwitchesWithoutEffect = (
  files: readonly FileWithSwitches[],
  hookFiles: readonly NamedHooks[],
): void => {
  const namesIn = (wanted: readonly NamedHooks[]) =>
    new Set(wanted.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const own = namesIn(hookFiles.filter(({ file }) => file.owner === 'project'));
  const others = namesIn(hookFiles.filter(({ file }) => file.owner !== 'project'));
  for (const { file, document, switches } of files) {
    const isProject = file.owner === 'project';
    const report = (code: NoticeCode, { path, position }: LocatedSetting, message: string, skipped = true): void =>
      document?.report({ code, skipped, path, message: `${path} ${message}` }, position);
    const known = [...own, ...(isProject ? [] : others)];
    const idle = switches.disabled.filter(({ name }) => !known.includes(name));
    for (const listed of idle.slice(0, MAX_SHOWN_UNKNOWN_NAMES)) {
      const quoted = JSON.stringify(listed.name);
      if (others.has(listed.name)) {
        const whose = 'which the project does not bring; only settings of the user or the system can';
        report('no-effect', listed, `cannot switch off ${quoted}, ${whose}`);
        continue;
      }
      const near = formatSuggestion(listed.name, known);
      if (near !== '') report('unknown-name', listed, `names no hook: there is no ${quoted}${near}`);
    }
    const more = idle[MAX_SHOWN_UNKNOWN_NAMES];
    if (more !== undefined)
      report('limit-reached', more, `has ${idle.length - MAX_SHOWN_UNKNOWN_NAMES} more names without effect`);
    if (!isProject) continue;
    const refuse = (located: LocatedSetting | undefined, what: string): void => {
      if (located === undefined) return;
      report('no-effect', located, `has no effect in a project: only ${what}`);
    };
    const [env] = switches.allowedEnv;
    refuse(env && { ...env, path: 'allowEnv' }, 'settings of the user or the system can let hooks see more');
    refuse(switches.projectEnv, 'settings of the user or the system choose the variables of hooks');
    refuse(switches.required[0], 'the settings of the user or the system can require a guard');
    refuse(switches.journal, 'the settings of the user or the system switch the journal off');
    if (switches.enabled?.on === false && others.size > 0) {
      const message = 'switches off the hooks of this file only; those of the user and the system stay on';
      report('no-effect', switches.enabled, message, false);
    }
  }
};
