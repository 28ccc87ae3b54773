/** Prepares hooks of a file for the registry: converts times, replaces variables, translates agents' entries. */
import { delimiter, dirname, sep } from 'node:path';
import type { AgentEntries } from '../../agents/engine-api.ts';
import { hookEventNames } from '../../events/index.ts';
import { isRecord, textOf } from '../../kit/index.ts';
import {
  definitionKeys,
  fieldNames,
  type HookOrigin,
  isAllowedName,
  isLikelySecret,
  type NoticeCode,
  type SettingsSheet,
  toMilliseconds,
  withOrigin,
} from '../../protocol/index.ts';
import type { SettingsDocument } from './settings-document.ts';

const MAX_HOOKS_PER_FILE = 500;
const MAX_UNKNOWN_KEYS = 100;

export interface PrepareOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly projectDir: string;
  readonly allowedEnv: readonly string[];
  readonly agents?: AgentEntries | undefined;
}

export const containsHookForAgent = (hooks: unknown): boolean =>
  isRecord(hooks) &&
  Object.values(hooks).some(
    (groups) =>
      Array.isArray(groups) &&
      groups.some(
        (group) =>
          isRecord(group) &&
          Array.isArray(group.hooks) &&
          group.hooks.some((entry) => isRecord(entry) && typeof entry.agent === 'string'),
      ),
  );

const RUNTIME_VARIABLE_PATTERN = /^(?:GEMINI|CLAUDE|HOOKWRIGHT)_(?:PROJECT_DIR|CWD|SESSION_ID)$/;

class HookPreparer {
  readonly #document: SettingsDocument;
  readonly #sheet: SettingsSheet;
  readonly #preparation: PrepareOptions;
  #groups = 0;
  #count = 0;
  #unknown = 0;

  constructor(document: SettingsDocument, sheet: SettingsSheet, preparation: PrepareOptions) {
    this.#document = document;
    this.#sheet = sheet;
    this.#preparation = preparation;
  }

  prepare(hooks: Record<string, unknown>): void {
    this.#prune(hooks, hookEventNames);
    for (const [eventName, definitions] of Object.entries(hooks)) {
      if (!Array.isArray(definitions)) continue;
      const allowed = Math.max(0, MAX_HOOKS_PER_FILE - this.#groups);
      this.#groups += definitions.length;
      if (definitions.length > allowed) definitions.length = allowed;
      for (const [index, definition] of definitions.entries()) {
        if (!isRecord(definition)) continue;
        this.#prune(definition, definitionKeys);
        const origin = this.#originAt(`hooks.${eventName}[${index}]`);
        withOrigin(definition, origin);
        if (Array.isArray(definition.hooks)) this.#prepareEntries(definition.hooks, definition, origin, eventName);
      }
    }
    const rest = `at most ${MAX_HOOKS_PER_FILE} of a file are read, the rest is left out`;
    this.#limit(this.#unknown, MAX_UNKNOWN_KEYS, `unknown keys; only the first ${MAX_UNKNOWN_KEYS} are shown`);
    this.#limit(this.#groups, MAX_HOOKS_PER_FILE, `groups; ${rest}`);
    this.#limit(this.#count, MAX_HOOKS_PER_FILE, `hooks; ${rest}`);
  }

  #limit(count: number, limit: number, what: string): void {
    if (count <= limit) return;
    const message = `hooks has ${count} ${what}`;
    this.#document.reportAtPath({ code: 'limit-reached', skipped: true, path: 'hooks', message }, 'error');
  }

  #prune(value: Record<string, unknown>, known: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      this.#unknown += 1;
      if (this.#unknown > MAX_UNKNOWN_KEYS) delete value[key];
    }
  }

  #originAt(path: string, flaw = this.#document.flawOf(path)): EntryOrigin {
    return { source: this.#document.file.scope, sheet: this.#sheet, path, flaw };
  }

  #prepareEntries(
    entries: unknown[],
    group: Record<string, unknown>,
    { path, flaw }: EntryOrigin,
    eventName: string,
  ): void {
    const allowed = Math.max(0, MAX_HOOKS_PER_FILE - this.#count);
    this.#count += entries.length;
    if (entries.length > allowed) entries.length = allowed;
    for (const [index, entry] of entries.entries()) {
      if (!isRecord(entry)) continue;
      this.#prune(entry, fieldNames());
      const hasTimeUnit = typeof entry.timeout === 'string';
      const origin = { ...this.#originAt(`${path}.hooks[${index}]`, flaw), written: copyAsWritten(entry), hasTimeUnit };
      withOrigin(entry, origin);
      this.#prepareEntry(entry, origin.path);
      this.#prepareForAgent(entry, origin, group, eventName);
    }
  }

  #prepareEntry(entry: Record<string, unknown>, path: string): void {
    const { family, scope } = this.#document.file;
    const { timeout, command, url, cwd, args, env } = entry;
    if (family === 'hookwright' && timeout !== undefined) entry.timeout = toMilliseconds(timeout);
    // The agent's rules expand the variables of an entry with `agent`.
    if (typeof entry.agent === 'string' && scope !== 'extensions') return;
    if (typeof url === 'string') entry.url = this.#expand(url, `${path}.url`);
    if (typeof cwd === 'string') entry.cwd = this.#expand(cwd, `${path}.cwd`);
    if (Array.isArray(args)) {
      for (const [index, arg] of args.entries()) {
        if (typeof arg === 'string') args[index] = this.#expand(arg, `${path}.args[${index}]`);
      }
    }
    if (isRecord(env)) {
      for (const [name, value] of Object.entries(env)) {
        if (typeof value === 'string') env[name] = this.#expand(value, `${path}.env.${name}`);
      }
    }
    if (scope === 'extensions' && typeof command === 'string') this.#prepareExtension(entry, command);
  }

  #prepareForAgent(
    entry: Record<string, unknown>,
    origin: EntryOrigin,
    group: Record<string, unknown>,
    event: string,
  ): void {
    const { agents } = this.#preparation;
    const { path } = origin;
    if (agents === undefined || typeof entry.agent !== 'string' || origin.flaw !== undefined) return;
    const { matcher, sequential } = group;
    const { file, line, column } = this.#document.positionOf(path);
    const read = agents.read({
      written: entry,
      event,
      matcher: textOf(matcher),
      sequential: sequential === true,
      file,
      scope: this.#document.file.owner,
      path,
      line,
      column,
    });
    if ('mistake' in read) {
      this.#flaw(entry, origin, read.code, `${path}.${read.key}`, read.mistake);
      return;
    }
    if (read.warning !== undefined) {
      const at = `${path}.${read.warning.key}`;
      const message = `${at}: ${read.warning.message}`;
      this.#document.reportAtPath({ code: 'invalid-value', skipped: false, path: at, message });
    }
    const { config, dialect, flaw } = read.hook;
    // The registry checks `timeout` and `shell` as written.
    const { timeout = config.timeout, shell = config.shell } = entry;
    Object.assign(entry, config, { timeout }, shell === undefined ? {} : { shell });
    if (read.hook.sequential) group.sequential ??= true;
    withOrigin(entry, { ...origin, dialect });
    if (flaw !== undefined) this.#flaw(entry, { ...origin, dialect }, 'invalid-value', path, flaw);
  }

  #flaw(entry: object, origin: EntryOrigin, code: NoticeCode, path: string, message: string): void {
    withOrigin(entry, { ...origin, flaw: message });
    this.#document.reportAtPath({ code, skipped: true, path, message: `${path}: ${message}` }, 'error');
  }

  /** Extension variables go into the environment: in the command, a shell would split their paths. */
  #prepareExtension(entry: Record<string, unknown>, command: string): void {
    const plain = fillSeparators(command);
    entry.command = plain;
    const used = Object.entries(this.#extensionVariables()).filter(([name]) => plain.includes(name));
    if (used.length === 0) return;
    const env = isRecord(entry.env) ? entry.env : {};
    for (const [name, value] of used) env[name] ??= value;
    entry.env = env;
  }

  #extensionVariables(): Record<string, string> {
    const { projectDir } = this.#preparation;
    return { extensionPath: dirname(dirname(this.#document.file.path)), workspacePath: projectDir };
  }

  #expand(text: string, path: string): string {
    const isExtension = this.#document.file.scope === 'extensions';
    const known = isExtension ? this.#extensionVariables() : {};
    return expandReferences(isExtension ? fillSeparators(text) : text, (name) => {
      if (RUNTIME_VARIABLE_PATTERN.test(name)) return undefined;
      if (Object.hasOwn(known, name)) return known[name];
      const value = this.#preparation.env[name];
      if (value === undefined || this.#mayRead(name, value)) return value;
      const hint = 'let hooks see it with allowEnv in your own settings, or write the value';
      const message = `${path} names $${name}, which looks like a secret and is not filled in here; ${hint}`;
      this.#document.reportAtPath({ code: 'withheld-variables', skipped: false, path, message, hint });
      return undefined;
    });
  }

  /** A project or an extension must not read the user's secrets. */
  #mayRead(name: string, value: string): boolean {
    const { scope } = this.#document.file;
    if (scope === 'user' || scope === 'system') return true;
    return !isLikelySecret(name, value) || isAllowedName(name, this.#preparation.allowedEnv);
  }
}

/** Extensions may use these references, which no shell can read. */
const separatorReferences = { '${/}': sep, '${pathSeparator}': delimiter } as const;

const fillSeparators = (text: string): string =>
  Object.entries(separatorReferences).reduce((filled, [name, value]) => filled.replaceAll(name, value), text);

/** Changes `hooks` in place. */
export const prepareHooks = (
  hooks: Record<string, unknown>,
  document: SettingsDocument,
  sheet: SettingsSheet,
  preparation: PrepareOptions,
): void => new HookPreparer(document, sheet, preparation).prepare(hooks);

type EntryOrigin = HookOrigin & { readonly path: string };

const copyAsWritten = ({ command, url, cwd, args, env }: Record<string, unknown>): Record<string, unknown> => ({
  command,
  url,
  cwd,
  args: Array.isArray(args) ? [...args] : args,
  env: isRecord(env) ? { ...env } : env,
});

/** A default cannot contain braces: nested references would be scanned repeatedly. */
const VARIABLE_REFERENCE_PATTERN = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^{}]*))?\})/g;

const expandReferences = (text: string, lookup: (name: string) => string | undefined): string =>
  text.replace(VARIABLE_REFERENCE_PATTERN, (written: string, plain?: string, braced?: string, otherwise?: string) => {
    const value = lookup(plain ?? braced ?? '');
    // As in a shell, `:-` also replaces an empty value.
    return otherwise !== undefined && (value === undefined || value === '') ? otherwise : (value ?? written);
  });
