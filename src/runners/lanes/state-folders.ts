// Creates folders in which hooks keep data: per session (`HOOKWRIGHT_STATE_DIR`) and per project
// (`HOOKWRIGHT_DATA_DIR`).
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { attempt, describeThrown, isRecord } from '../../kit/index.ts';
import {
  checkDirectoryNow,
  ensureDirectoryNow,
  findHomeDirectory,
  readPrivateJson,
  sha256,
  writePrivateFile,
} from '../../kit/node.ts';
import {
  ConfigSource,
  getHookKey,
  getOrigin,
  type HookConfig,
  HookType,
  type HostConfig,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { isForeign } from '../command/foreign-environment.ts';
import type { Variables } from '../command/shell-words.ts';
import { SessionVariables, type TrustedScope, trustedScopes } from './session-variables.ts';

const STATE_DIR = 'HOOKWRIGHT_STATE_DIR';
const DATA_DIR = 'HOOKWRIGHT_DATA_DIR';
export const ENV_FILE = 'HOOKWRIGHT_ENV_FILE';

/** A hook must not inherit these variables from the hook that started this process. */
export const isFolderVariable = (name: string): boolean => name === STATE_DIR || name === DATA_DIR || name === ENV_FILE;

const MAX_FOLDER_MEBIBYTES = 64;
const MAX_FOLDER_FILES = 4_096;

const VARIABLES_FILE = 'variables.json';
const MAX_VARIABLE_BYTES = 2 ** 20;

const getScope = (hook: HookConfig): TrustedScope => {
  if (isForeign(hook)) return 'project';
  return getOrigin(hook)?.source === ConfigSource.System ? 'system' : 'user';
};

const MEASURE_SIZE_EVERY_MS = 10_000;

/** A session that was never ended counts as over if no hook ran for this long. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 60 * 60 * 1_000;

interface HookFolders {
  readonly session: string;
  readonly projectDir: string;
  readonly variables: Readonly<Record<typeof STATE_DIR | typeof DATA_DIR, string>>;
  measuredAt: number;
  excess: string | undefined;
}

interface ReadyFolders {
  readonly variables: Variables;
  readonly notices: readonly Notice[];
}

const noNotices: readonly Notice[] = [];

/**
 * A folder in the project could be a symbolic link from a cloned repository, and the agent's tools could write to it,
 * so the folders are in the user's home directory.
 */
export class StateFolders {
  static readonly #known = new WeakMap<HostConfig, StateFolders>();
  readonly #config: HostConfig;
  readonly #folders = new WeakMap<HookConfig, HookFolders>();
  /** Replaces an empty session id; no other process can continue such a session. */
  #unnamed: string | undefined;
  #session = { key: '', name: '' };
  readonly #trialHome: string | undefined;
  readonly #variables = new SessionVariables();
  #readFrom: string | undefined;
  #writing: Promise<readonly string[]> = Promise.resolve([]);
  #starts = 0;

  private constructor(config: HostConfig, trialHome?: string) {
    this.#config = config;
    this.#trialHome = trialHome;
  }

  static forTrial(config: HostConfig): StateFolders {
    return new StateFolders(config, join(tmpdir(), `hookwright-trial-${randomUUID()}`));
  }

  static of(config: HostConfig): StateFolders {
    const known = StateFolders.#known.get(config) ?? new StateFolders(config);
    StateFolders.#known.set(config, known);
    return known;
  }

  variablesOf(hook: HookConfig, projectDir: string): Variables {
    return this.#foldersOf(hook, projectDir).variables;
  }

  ready(hook: HookConfig, projectDir: string): ReadyFolders {
    const folders = this.#foldersOf(hook, projectDir);
    const { variables } = folders;
    const stateNotice = this.#makeState(folders);
    const dataTrouble = this.#make(variables[DATA_DIR], stateNotice === undefined);
    if (stateNotice === undefined && dataTrouble === undefined) return { variables, notices: noNotices };
    const usable = {
      ...(stateNotice === undefined ? { [STATE_DIR]: variables[STATE_DIR] } : {}),
      ...(dataTrouble === undefined ? { [DATA_DIR]: variables[DATA_DIR] } : {}),
    };
    const notices = [
      ...(stateNotice === undefined ? [] : [stateNotice]),
      ...(dataTrouble === undefined ? [] : [notice('unreadable-file', `${DATA_DIR} is not set: ${dataTrouble}`)]),
    ];
    return { variables: usable, notices };
  }

  variablesFor(hook: HookConfig): Variables | undefined {
    const session = this.#sessionFolder();
    if (this.#readFrom !== session) {
      this.#readFrom = session;
      this.#readVariables(session);
    }
    const found = this.#variables.for(session, getScope(hook));
    return Object.keys(found).length === 0 ? undefined : found;
  }

  /**
   * The returned function saves the variables that a hook sets. Of several hooks that set a variable, the one that
   * started last wins.
   */
  keeper(hook: HookConfig): (given: Variables) => Promise<readonly string[]> {
    this.#starts += 1;
    const start = { at: new Date().toISOString(), order: this.#starts };
    const session = this.#sessionFolder();
    return async (given) => {
      const own = Object.keys(given).filter((name) => name.startsWith('HOOKWRIGHT_'));
      const variables = Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
      const lost = this.#variables.keep(session, getScope(hook), { ...start, variables });
      this.#writing = this.#writing.then(() => this.#writeVariables(session));
      const refused = own.length === 0 ? [] : [`${own.join(', ')} reach no later hook: hookwright sets them itself`];
      return [...refused, ...lost, ...(await this.#writing)];
    };
  }

  #readVariables(session: string): void {
    const { value } = readPrivateJson(join(session, VARIABLES_FILE), { maxBytes: MAX_VARIABLE_BYTES, private: true });
    if (!isRecord(value)) return;
    for (const scope of trustedScopes) {
      const kept = value[scope];
      if (!isRecord(kept)) continue;
      const texts = Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      this.#variables.keep(session, scope, { at: '', order: 0, variables: Object.fromEntries(texts) });
    }
  }

  async #writeVariables(session: string): Promise<readonly string[]> {
    const kept = Object.fromEntries(trustedScopes.map((scope) => [scope, this.#variables.ofScope(session, scope)]));
    try {
      await writePrivateFile(join(session, VARIABLES_FILE), JSON.stringify(kept), 0o600);
      return [];
    } catch (error) {
      return [`variables of the session reach no later process: ${describeThrown(error)}`];
    }
  }

  endSession(): void {
    const session = this.#sessionFolder();
    this.#remove(session);
    this.#variables.forget(session);
    this.#unnamed = undefined;
  }

  close(): void {
    if (this.#unnamed !== undefined) this.endSession();
    if (this.#trialHome !== undefined) this.#remove(this.#trialHome);
  }

  #sessionFolder(): string {
    const id = this.#config.getSessionId();
    if (id === '') this.#unnamed ??= randomUUID();
    const key = id === '' ? `unnamed ${this.#unnamed}` : id;
    if (this.#session.key !== key) this.#session = { key, name: sha256(key).slice(0, 32) };
    return join(this.#root('state'), this.#session.name);
  }

  #root(name: 'state' | 'data'): string {
    return join(this.#trialHome ?? this.#config.getHome?.() ?? findHomeDirectory(), '.hookwright', name);
  }

  #foldersOf(hook: HookConfig, projectDir: string): HookFolders {
    const session = this.#sessionFolder();
    const known = this.#folders.get(hook);
    if (known?.session === session && known.projectDir === projectDir) return known;
    const name = toHookFolderName(hook);
    const project = toFolderName(basename(projectDir), projectDir);
    const variables = { [STATE_DIR]: join(session, name), [DATA_DIR]: join(this.#root('data'), project, name) };
    const folders = { session, projectDir, variables, measuredAt: Number.NEGATIVE_INFINITY, excess: undefined };
    this.#folders.set(hook, folders);
    return folders;
  }

  #makeState(folders: HookFolders): Notice | undefined {
    const { session, variables } = folders;
    const path = variables[STATE_DIR];
    const now = performance.now();
    const isDue = now - folders.measuredAt > MEASURE_SIZE_EVERY_MS || folders.excess !== undefined;
    const isNew = isDue && checkDirectoryNow(session, 'private') === 'missing';
    const trouble = this.#make(path);
    if (trouble !== undefined) return notice('unreadable-file', `${STATE_DIR} is not set: ${trouble}`);
    if (isDue) {
      folders.measuredAt = now;
      folders.excess = findExcess(path);
      touch(session);
    }
    if (isNew) this.#sweep();
    if (folders.excess === undefined) return undefined;
    const fix = `remove what the hook no longer needs from ${path}; the folder goes when the session ends`;
    return notice('limit-reached', `${STATE_DIR} is not set: its folder has ${folders.excess}`, { fix });
  }

  /**
   * All parent folders are checked each time, because a symbolic link there would lead elsewhere. `isOursChecked` skips
   * `.hookwright` itself.
   */
  #make(path: string, isOursChecked = false): string | undefined {
    const above = dirname(path);
    const root = dirname(above);
    for (const one of isOursChecked ? [root, above, path] : [dirname(root), root, above, path]) {
      const trouble = ensureDirectoryNow(one);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  #sweep(): void {
    const root = this.#root('state');
    for (const name of readdirSync(root)) {
      const path = join(root, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && Date.now() - stats.mtimeMs > FORGOTTEN_AFTER_MS) this.#remove(path);
    }
  }

  #remove(path: string): void {
    if (checkDirectoryNow(path, 'private') !== 'usable') return;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // A process still writes there, or the folder belongs to another user. A later sweep tries again.
    }
  }
}

const toFolderName = (text: string, ...whole: readonly string[]): string => {
  const readable = text
    .replaceAll(/[^\w-]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `${readable === '' ? 'hook' : readable}-${sha256(whole.join('\0')).slice(0, 12)}`;
};

/**
 * Hooks with the same name and source share a folder, and so do hooks that share a worker. A project's hooks never
 * share a folder with the user's hooks.
 */
const toHookFolderName = (hook: HookConfig): string => {
  const { source = '', extension = '', projectDir = '', dialect } = getOrigin(hook) ?? {};
  const { name, command = '', args = [] } = hook;
  const key = hook.type === HookType.Worker ? [command, ...args].join(' ') : getHookKey(hook);
  const readable = hook.type === HookType.Worker ? key : (name ?? basename(command));
  return toFolderName(readable, source, extension, projectDir, dialect?.plugin?.root ?? '', key);
};

const findExcess = (folder: string): string | undefined => {
  const waiting = [folder];
  let [bytes, files] = [0, 0];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const entry of attempt(() => readdirSync(path, { withFileTypes: true })) ?? []) {
      const inner = join(path, entry.name);
      files += 1;
      if (entry.isDirectory()) waiting.push(inner);
      else bytes += lstatSync(inner, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes > MAX_FOLDER_MEBIBYTES * 2 ** 20) return `more than ${MAX_FOLDER_MEBIBYTES} MiB`;
      if (files > MAX_FOLDER_FILES) return `more than ${MAX_FOLDER_FILES} files`;
    }
  }
  return undefined;
};

const touch = (folder: string): void => {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // The disk is read-only. The new time only protects the folder from `#sweep`, which cannot remove it either.
  }
};
