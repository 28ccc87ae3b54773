/** Stores the state of an agent's session between calls of `run --as-hook`: project, background results, stops. */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import type { HostedCall } from '../../../agents/cli-api.ts';
import { catalogue, type HookEventName } from '../../../events/index.ts';
import { attempt, isRecord, once, textOf } from '../../../kit/index.ts';
import {
  ensureDirectory,
  findHomeDirectory,
  isDirectory,
  isWithin,
  listNames,
  readPrivateJson,
  sha256,
  writePrivateFile,
} from '../../../kit/node.ts';
import { type HookRow, rowSchema } from '../../../protocol/index.ts';
import type { Context } from '../../context.ts';
import { findCliScript } from '../../package-version.ts';

export interface SessionKey {
  readonly agent: string;
  readonly sessionId: string | undefined;
}

const createSessionPrefix = ({ agent, sessionId }: SessionKey): string =>
  `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.`;

const MAX_STATE_BYTES = 16_384;

const readStateFile = (path: string, maxBytes = MAX_STATE_BYTES): unknown =>
  readPrivateJson(path, { maxBytes, private: true }).value;

const BACKGROUND_ROWS_FOLDER = 'agent-words';
const MAX_ROWS_BYTES = 4 * 2 ** 20;

const rowsFileSchema = once(() => z.object({ version: z.literal(1), rows: z.array(z.readonly(rowSchema())) }));

export const storeBackgroundRows = async (session: SessionKey, rows: readonly HookRow[]): Promise<void> => {
  if (session.sessionId === undefined || rows.length === 0) return;
  const name = `${createSessionPrefix(session)}${Date.now()}-${process.pid}.json`;
  await writeStateFile(BACKGROUND_ROWS_FOLDER, name, { rows });
};

export const takeBackgroundRows = (session: SessionKey): readonly HookRow[] => {
  const directory = getStateDirectory(BACKGROUND_ROWS_FOLDER);
  const rows: HookRow[] = [];
  for (const name of listFileNames(directory, createSessionPrefix(session))) {
    const taken = join(directory, `taken-${process.pid}-${name}`);
    try {
      renameSync(join(directory, name), taken);
    } catch {
      // Another hookwright process of the same session took the file.
      continue;
    }
    const read = rowsFileSchema().safeParse(readStateFile(taken, MAX_ROWS_BYTES));
    if (read.success) rows.push(...read.data.rows);
    rmSync(taken, { force: true });
  }
  return rows;
};

const listFileNames = (directory: string, prefix: string): readonly string[] =>
  listNames(directory)
    .filter((name) => name.startsWith(prefix))
    .sort();

/** The only member in the input of a copy of this process. No agent sends this member. */
const COPY_INPUT_MEMBER = 'hookwright_left_running';

export const readCopyInput = (
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined => {
  const left = input[COPY_INPUT_MEMBER];
  return Object.keys(input).length === 1 && isRecord(left) ? left : undefined;
};

export const canStartCopy = (): boolean => findCliScript() !== undefined;

/** Starts a copy of this process for the background hooks, so that the agent does not wait for them. */
export const startCopy = async (input: Readonly<Record<string, unknown>>, { cwd, env }: Context): Promise<void> => {
  const program = findCliScript();
  if (program === undefined) return;
  const { spawn } = await import('node:child_process');
  const file = join(tmpdir(), `hookwright-${process.pid}-${Date.now()}.json`);
  writeFileSync(file, JSON.stringify({ [COPY_INPUT_MEMBER]: input }), { flag: 'wx', mode: 0o600 });
  const stdin = openSync(file, 'r');
  rmSync(file, { force: true });
  const args = [program, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: [stdin, 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.unref();
  closeSync(stdin);
};

export const findProjectOfSession = async (call: HostedCall, { cwd, env }: Context): Promise<string> => {
  const { cwd: now = cwd, workspaceRoots } = call;
  const roots = [...workspaceRoots.filter((root) => isWithin(root, now)), ...workspaceRoots];
  const said = findFirstDirectory([...call.projectVariables.map((name) => env[name]), ...roots]);
  if (call.sessionId === undefined) return said ?? chooseSettingsDirectory(now, cwd);
  const name = `${createSessionPrefix(call)}json`;
  const { source } = call.payload;
  const kept = sessionStartSources.includes(source) ? undefined : readProject(name);
  const project = said ?? kept ?? chooseSettingsDirectory(now, cwd);
  if (source !== undefined && kept !== project) await writeStateFile(PROJECTS_FOLDER, name, { project });
  return project;
};

/** After the other sources, `clear` and `compress`, the session goes on, perhaps in another directory. */
const sessionStartSources: readonly unknown[] = ['startup', 'resume'];

const findFirstDirectory = (paths: readonly (string | undefined)[]): string | undefined =>
  paths.find((path): path is string => path !== undefined && isAbsolute(path) && isDirectory(path));

const settingsPaths: readonly string[] = [join('.hookwright', 'settings.json'), join('.gemini', 'settings.json')];

const hasSettings = (from: string): boolean => {
  for (let at = from; ; at = dirname(at)) {
    if (settingsPaths.some((file) => existsSync(join(at, file)))) return true;
    if (at === dirname(at)) return false;
  }
};

export const selectSettingsDirectory = (said: readonly (string | undefined)[], now: string, started: string): string =>
  findFirstDirectory(said) ?? chooseSettingsDirectory(now, started);

const chooseSettingsDirectory = (now: string, started: string): string => {
  const there = findFirstDirectory([now]);
  if (there === undefined || hasSettings(there)) return there ?? started;
  return hasSettings(started) || isWithin(there, started) ? started : there;
};

const PROJECTS_FOLDER = 'agent-sessions';
const MAX_STATE_FILES = 500;

const readProject = (name: string): string | undefined => {
  const kept = readStateFile(join(getStateDirectory(PROJECTS_FOLDER), name));
  return findFirstDirectory([isRecord(kept) ? textOf(kept.project) : undefined]);
};

const getStateDirectory = (name: string): string => join(findHomeDirectory(), '.hookwright', name);

const writeStateFile = async (directoryName: string, name: string, members: object): Promise<void> => {
  try {
    const directory = getStateDirectory(directoryName);
    await ensureDirectory(dirname(directory));
    await ensureDirectory(directory);
    await writePrivateFile(join(directory, name), `${JSON.stringify({ version: 1, ...members })}\n`, 0o600);
    const names = readdirSync(directory);
    if (names.length <= MAX_STATE_FILES) return;
    const byAge = names
      .map((one) => join(directory, one))
      .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => one.at - other.at);
    for (const { path } of byAge.slice(0, names.length - MAX_STATE_FILES)) rmSync(path, { force: true });
  } catch {
    // Without the file, later calls look for the project again, and background results are lost.
  }
};

const STOPS_FOLDER = 'agent-stops';

const stopsFileSchema = once(() => z.object({ version: z.literal(1), stops: z.number().check(z.nonnegative()) }));

export interface TurnEnd {
  readonly fields: { readonly stop_hook_active?: boolean; readonly stop_count?: number };
  readonly ended: (isBlocked: boolean) => Promise<void>;
}

/** Counts how often hooks kept the agent from ending its turn. A new prompt or an allowed end resets the count. */
export const countTurnEnd = (
  session: SessionKey,
  eventName: HookEventName,
  payload: Readonly<Record<string, unknown>>,
  hooks: readonly string[],
): TurnEnd => {
  const { endsTurn = false, beginsTurn = false, endsSession = false } = catalogue[eventName];
  const directory = getStateDirectory(STOPS_FOLDER);
  if (beginsTurn || endsSession)
    for (const name of listFileNames(directory, createSessionPrefix(session))) removeCount(join(directory, name));
  if (!endsTurn || session.sessionId === undefined || typeof payload.stop_count === 'number') return uncountedTurnEnd;
  const who = [eventName, payload.agent_type, payload.agent_id, ...hooks].join('\0');
  const name = `${createSessionPrefix(session)}${sha256(who).slice(0, 16)}.json`;
  const kept = stopsFileSchema().safeParse(readStateFile(join(directory, name))).data?.stops ?? 0;
  const { stop_hook_active: isSentOn = kept > 0 } = payload;
  const count = isSentOn === true ? Math.max(kept, 1) : 0;
  return {
    fields: { stop_hook_active: isSentOn === true, stop_count: count },
    ended: async (isBlocked) => {
      if (isBlocked) await writeStateFile(STOPS_FOLDER, name, { stops: count + 1 });
      else removeCount(join(directory, name));
    },
  };
};

/** On a disk that cannot be written, there is no count to remove. */
const removeCount = (path: string): void => attempt(() => rmSync(path, { force: true }));

const uncountedTurnEnd: TurnEnd = { fields: {}, ended: async () => undefined };

const SHOWN_LINES_FOLDER = 'agent-told';

const shownFileSchema = once(() => z.object({ version: z.literal(1), told: z.array(z.string()) }));

export const rememberUnshownLines = async (
  session: SessionKey,
  lines: readonly string[],
): Promise<readonly string[]> => {
  if (session.sessionId === undefined || lines.length === 0) return lines;
  const name = `${createSessionPrefix(session)}json`;
  const kept = readStateFile(join(getStateDirectory(SHOWN_LINES_FOLDER), name));
  const told = shownFileSchema().safeParse(kept).data?.told ?? [];
  const left = lines.filter((line) => !told.includes(sha256(line)));
  if (left.length > 0) await writeStateFile(SHOWN_LINES_FOLDER, name, { told: [...told, ...left.map(sha256)] });
  return left;
};
