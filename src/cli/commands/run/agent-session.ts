/** The state of an agent's session between calls of `run --as-hook`: project, background results, stop counts. */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import type { HostedCall } from '../../../agents/agents.ts';
import { catalogue, type HookEventName } from '../../../events/index.ts';
import { isRecord, once, textOf } from '../../../kit/index.ts';
import {
  ensureDirectory,
  homeDirectory,
  isWithin,
  readPrivateJson,
  sha256,
  writePrivateFile,
} from '../../../kit/node.ts';
import { type HookRow, rowSchema } from '../../../protocol/index.ts';
import type { Context } from '../../context.ts';
import { packageProgram } from '../../package-version.ts';

/** Identifies a session. */
export interface SessionKey {
  readonly agent: string;
  readonly sessionId: string | undefined;
}

const WORDS = 'agent-words';
const MAX_WORDS_BYTES = 4 * 2 ** 20;

const wordsSchema = once(() => z.object({ version: z.literal(1), rows: z.array(z.readonly(rowSchema())) }));

const prefixOf = ({ agent, sessionId }: SessionKey): string => `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.`;

export const storeBackgroundRows = async (session: SessionKey, rows: readonly HookRow[]): Promise<void> => {
  if (session.sessionId === undefined || rows.length === 0) return;
  const name = `${prefixOf(session)}${Date.now()}-${process.pid}.json`;
  await keepInHome(WORDS, name, JSON.stringify({ version: 1, rows }));
};

/** Results of background hooks since the last call. Each is returned once. */
export const takeBackgroundRows = (session: SessionKey): readonly HookRow[] => {
  const directory = keptDirectory(WORDS);
  const rows: HookRow[] = [];
  for (const name of namesIn(directory, prefixOf(session))) {
    const taken = join(directory, `taken-${process.pid}-${name}`);
    try {
      renameSync(join(directory, name), taken);
    } catch {
      // Another call of the session took it.
      continue;
    }
    const read = wordsSchema().safeParse(readPrivateJson(taken, { maxBytes: MAX_WORDS_BYTES, private: true }).value);
    if (read.success) rows.push(...read.data.rows);
    rmSync(taken, { force: true });
  }
  return rows;
};

const namesIn = (directory: string, prefix: string): readonly string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.startsWith(prefix))
      .sort();
  } catch {
    return [];
  }
};

/** The only member of an input that a copy of this process gets. No agent sends it. */
const LEFT = 'hookwright_left_running';

/** The original input, if this process is the copy that runs only background hooks. */
export const readCopyInput = (
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined => {
  const left = input[LEFT];
  return Object.keys(input).length === 1 && isRecord(left) ? left : undefined;
};

/** Whether a copy of this process can be started. */
export const canStartCopy = (): boolean => packageProgram() !== undefined;

/** Starts a detached copy of this process that runs only the background hooks. */
export const startCopy = async (input: Readonly<Record<string, unknown>>, { cwd, env }: Context): Promise<void> => {
  const program = packageProgram();
  if (program === undefined) return;
  const { spawn } = await import('node:child_process');
  const file = join(tmpdir(), `hookwright-${process.pid}-${Date.now()}.json`);
  writeFileSync(file, JSON.stringify({ [LEFT]: input }), { flag: 'wx', mode: 0o600 });
  const stdin = openSync(file, 'r');
  rmSync(file, { force: true });
  const args = [program, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: [stdin, 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.unref();
  closeSync(stdin);
};

/** The project of a session: from the agent's variable, its open folders, its first event, or its working directory. */
export const projectOfSession = async (call: HostedCall, { cwd, env }: Context): Promise<string> => {
  const { cwd: now = cwd, workspaceRoots, sessionId, agent } = call;
  const roots = [...workspaceRoots.filter((root) => isWithin(root, now)), ...workspaceRoots];
  const said = firstDirectory([...call.projectVariables.map((name) => env[name]), ...roots]);
  if (sessionId === undefined) return said ?? whereSettingsAre(now, cwd);
  const file = recordFile(agent, sessionId);
  const { source } = call.payload;
  const kept = beginnings.includes(source) ? undefined : firstDirectory([recordedIn(file)]);
  const project = said ?? kept ?? whereSettingsAre(now, cwd);
  if (source !== undefined && kept !== project) await keep(file, project);
  return project;
};

/** Sources of a new session. After `clear` and `compress` the session goes on, perhaps in another directory. */
const beginnings: readonly unknown[] = ['startup', 'resume'];

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const firstDirectory = (paths: readonly (string | undefined)[]): string | undefined =>
  paths.find((path): path is string => path !== undefined && isAbsolute(path) && isDirectory(path));

const settings: readonly string[] = [join('.hookwright', 'settings.json'), join('.gemini', 'settings.json')];

const hasSettings = (from: string): boolean => {
  for (let at = from; ; at = dirname(at)) {
    if (settings.some((file) => existsSync(join(at, file)))) return true;
    if (at === dirname(at)) return false;
  }
};

/** The first existing directory of `said`, or the working directory by the rule of `whereSettingsAre`. */
export const settingsDirectory = (said: readonly (string | undefined)[], now: string, started: string): string =>
  firstDirectory(said) ?? whereSettingsAre(now, started);

/** The working directory, unless only the directory in which this process started has settings. */
const whereSettingsAre = (now: string, started: string): string => {
  const there = firstDirectory([now]);
  if (there === undefined || hasSettings(there)) return there ?? started;
  return hasSettings(started) || isWithin(there, started) ? started : there;
};

/** More sessions than one user has at the same time. */
const DIRECTORY = 'agent-sessions';
const MAX_RECORDS = 500;
const MAX_BYTES = 16_384;

const recordFile = (agent: string, sessionId: string): string =>
  join(keptDirectory(DIRECTORY), `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.json`);

const recordedIn = (file: string): string | undefined => {
  const { value } = readPrivateJson(file, { maxBytes: MAX_BYTES, private: true });
  return isRecord(value) ? textOf(value.project) : undefined;
};

const keep = (file: string, project: string): Promise<void> =>
  keepInHome(DIRECTORY, basename(file), JSON.stringify({ version: 1, project }));

const keptDirectory = (name: string): string => join(homeDirectory(), '.hookwright', name);

/** Writes a file for later calls of the session. Errors are ignored, because the hooks must run anyway. */
const keepInHome = async (directoryName: string, name: string, text: string): Promise<void> => {
  try {
    const directory = keptDirectory(directoryName);
    await ensureDirectory(dirname(directory));
    await ensureDirectory(directory);
    await writePrivateFile(join(directory, name), `${text}\n`, 0o600);
    const names = readdirSync(directory);
    if (names.length <= MAX_RECORDS) return;
    const byAge = names
      .map((one) => join(directory, one))
      .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => one.at - other.at);
    for (const { path } of byAge.slice(0, names.length - MAX_RECORDS)) rmSync(path, { force: true });
  } catch {
    // Later calls look for the project again; background results are lost.
  }
};

const STOPS = 'agent-stops';

const stopsSchema = once(() => z.object({ version: z.literal(1), stops: z.number().check(z.nonnegative()) }));

export interface TurnEnd {
  /** The fields that hooks get. */
  readonly fields: { readonly stop_hook_active?: boolean; readonly stop_count?: number };
  readonly ended: (isBlocked: boolean) => Promise<void>;
}

/** Counts how often hooks sent the agent on when its turn ended. A new prompt or an unblocked end resets the count. */
export const countTurnEnd = (
  session: SessionKey,
  eventName: HookEventName,
  payload: Readonly<Record<string, unknown>>,
  hooks: readonly string[],
): TurnEnd => {
  const { endsTurn = false, beginsTurn = false, endsSession = false } = catalogue[eventName];
  const directory = keptDirectory(STOPS);
  if (beginsTurn || endsSession)
    for (const name of namesIn(directory, prefixOf(session))) forget(join(directory, name));
  if (!endsTurn || session.sessionId === undefined || typeof payload.stop_count === 'number') return noTurn;
  const who = [eventName, payload.agent_type, payload.agent_id, ...hooks].join('\0');
  const name = `${prefixOf(session)}${sha256(who).slice(0, 16)}.json`;
  const read = readPrivateJson(join(directory, name), { maxBytes: MAX_BYTES, private: true });
  const kept = stopsSchema().safeParse(read.value).data?.stops ?? 0;
  const { stop_hook_active: isSentOn = kept > 0 } = payload;
  const count = isSentOn === true ? Math.max(kept, 1) : 0;
  return {
    fields: { stop_hook_active: isSentOn === true, stop_count: count },
    ended: async (isBlocked) => {
      if (isBlocked) await keepInHome(STOPS, name, JSON.stringify({ version: 1, stops: count + 1 }));
      else forget(join(directory, name));
    },
  };
};

const forget = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that cannot be written stores no count either.
  }
};

const noTurn: TurnEnd = { fields: {}, ended: async () => undefined };

const TOLD = 'agent-told';

const toldSchema = once(() => z.object({ version: z.literal(1), told: z.array(z.string()) }));

/** The lines that this session has not shown before; all of them if the session is unknown. */
export const rememberUnshownLines = async (
  session: SessionKey,
  lines: readonly string[],
): Promise<readonly string[]> => {
  if (session.sessionId === undefined || lines.length === 0) return lines;
  const name = `${prefixOf(session)}json`;
  const { value } = readPrivateJson(join(keptDirectory(TOLD), name), { maxBytes: MAX_BYTES, private: true });
  const told = toldSchema().safeParse(value).data?.told ?? [];
  const left = lines.filter((line) => !told.includes(sha256(line)));
  if (left.length > 0)
    await keepInHome(TOLD, name, JSON.stringify({ version: 1, told: [...told, ...left.map(sha256)] }));
  return left;
};
