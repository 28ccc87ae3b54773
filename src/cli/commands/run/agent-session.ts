import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import type { HostedCall } from '../../../agents/agents.ts';
import { catalogue, type HookEventName } from '../../../events/index.ts';
import { isRecord, once, textOf } from '../../../kit/index.ts';
import { ensureDirectory, homeDirectory, isWithin, readOwnJson, sha256, writeOwnFile } from '../../../kit/node.ts';
import { type HookRow, rowSchema } from '../../../protocol/index.ts';
import type { Context } from '../../context.ts';
import { packageProgram } from '../../package-version.ts';

/** What hooks in the background said after their call was answered waits here for the next call of their session. */
export interface SessionWords {
  readonly agent: string;
  readonly sessionId: string | undefined;
}

const WORDS = 'agent-words';
const MAX_WORDS_BYTES = 4 * 2 ** 20;

const wordsSchema = once(() => z.object({ version: z.literal(1), rows: z.array(z.readonly(rowSchema())) }));

const prefixOf = ({ agent, sessionId }: SessionWords): string => `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.`;

export const keepWords = async (session: SessionWords, rows: readonly HookRow[]): Promise<void> => {
  if (session.sessionId === undefined || rows.length === 0) return;
  const name = `${prefixOf(session)}${Date.now()}-${process.pid}.json`;
  await keepInHome(WORDS, name, JSON.stringify({ version: 1, rows }));
};

/** How hooks in the background have ended since; each is returned once. */
export const takeWords = (session: SessionWords): readonly HookRow[] => {
  const directory = keptDirectory(WORDS);
  const rows: HookRow[] = [];
  for (const name of namesIn(directory, prefixOf(session))) {
    const taken = join(directory, `taken-${process.pid}-${name}`);
    try {
      renameSync(join(directory, name), taken);
    } catch {
      // Another call of the session was first.
      continue;
    }
    const read = wordsSchema().safeParse(readOwnJson(taken, { maxBytes: MAX_WORDS_BYTES, private: true }).value);
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

/** No agent sends an input with this member alone. */
const LEFT = 'hookwright_left_running';

/** The input of the call whose hooks in the background this process is to run. */
export const leftIn = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined => {
  const left = input[LEFT];
  return Object.keys(input).length === 1 && isRecord(left) ? left : undefined;
};

/** Whether a copy of this process can be left running. */
export const canLeave = (): boolean => packageProgram() !== undefined;

/** Starts a copy of this process that runs only the hooks in the background, and is not waited for. */
export const leaveRunning = async (input: Readonly<Record<string, unknown>>, { cwd, env }: Context): Promise<void> => {
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

/**
 * The directory in which the session of an agent started: settings and hooks are those of its project, wherever the agent
 * has gone since. The agent's own variable for the project counts first, then the directories it has open, then what its
 * SessionStart left here, then where it works at the moment.
 */
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

/** How a session begins. After `clear` and `compress` it goes on, and the agent may be elsewhere by then. */
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

/** The first of these directories that is there; else where the agent works, by the rule below. */
export const settingsDirectory = (said: readonly (string | undefined)[], now: string, started: string): string =>
  firstDirectory(said) ?? whereSettingsAre(now, started);

/** Where the agent works, unless settings are only found from where it started this process. */
const whereSettingsAre = (now: string, started: string): string => {
  const there = firstDirectory([now]);
  if (there === undefined || hasSettings(there)) return there ?? started;
  return hasSettings(started) || isWithin(there, started) ? started : there;
};

// ── what a SessionStart leaves for the events after it ───────────────────────────────────────────────────────────────

/** More sessions than a person has at once. */
const DIRECTORY = 'agent-sessions';
const MAX_RECORDS = 500;
const MAX_BYTES = 16_384;

const recordFile = (agent: string, sessionId: string): string =>
  join(keptDirectory(DIRECTORY), `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.json`);

const recordedIn = (file: string): string | undefined => {
  const { value } = readOwnJson(file, { maxBytes: MAX_BYTES, private: true });
  return isRecord(value) ? textOf(value.project) : undefined;
};

const keep = (file: string, project: string): Promise<void> =>
  keepInHome(DIRECTORY, basename(file), JSON.stringify({ version: 1, project }));

const keptDirectory = (name: string): string => join(homeDirectory(), '.hookwright', name);

/** Writes a file that later calls of a session read. That it cannot be kept is no reason to leave a hook unasked. */
const keepInHome = async (directoryName: string, name: string, text: string): Promise<void> => {
  try {
    const directory = keptDirectory(directoryName);
    await ensureDirectory(dirname(directory));
    await ensureDirectory(directory);
    await writeOwnFile(join(directory, name), `${text}\n`, 0o600);
    const names = readdirSync(directory);
    if (names.length <= MAX_RECORDS) return;
    const byAge = names
      .map((one) => join(directory, one))
      .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => one.at - other.at);
    for (const { path } of byAge.slice(0, names.length - MAX_RECORDS)) rmSync(path, { force: true });
  } catch {
    // A project is looked for where the agent works then; words are lost.
  }
};

const STOPS = 'agent-stops';

const stopsSchema = once(() => z.object({ version: z.literal(1), stops: z.number().check(z.nonnegative()) }));

export interface EndedTurn {
  /** What hooks read of it. */
  readonly fields: { readonly stop_hook_active?: boolean; readonly stop_count?: number };
  readonly ended: (isBlocked: boolean) => Promise<void>;
}

/**
 * How often hooks sent an agent on when its turn ends; each call is a process of its own. A new prompt, an end that no hook
 * blocked, and an agent that says that no hook sent it on begin the count anew. `hooks`: the only ones of this call.
 */
export const turnOf = (
  session: SessionWords,
  eventName: HookEventName,
  payload: Readonly<Record<string, unknown>>,
  hooks: readonly string[],
): EndedTurn => {
  const { endsTurn = false, beginsTurn = false, endsSession = false } = catalogue[eventName];
  const directory = keptDirectory(STOPS);
  if (beginsTurn || endsSession)
    for (const name of namesIn(directory, prefixOf(session))) forget(join(directory, name));
  if (!endsTurn || session.sessionId === undefined || typeof payload.stop_count === 'number') return noTurn;
  const who = [eventName, payload.agent_type, payload.agent_id, ...hooks].join('\0');
  const name = `${prefixOf(session)}${sha256(who).slice(0, 16)}.json`;
  const read = readOwnJson(join(directory, name), { maxBytes: MAX_BYTES, private: true });
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
    // A disk that cannot be written keeps no count, either.
  }
};

const noTurn: EndedTurn = { fields: {}, ended: async () => undefined };

const TOLD = 'agent-told';

const toldSchema = once(() => z.object({ version: z.literal(1), told: z.array(z.string()) }));

/** Those of the lines that no call of the session had yet. Without a session, or a home to remember it in, all of them. */
export const onceInSession = async (session: SessionWords, lines: readonly string[]): Promise<readonly string[]> => {
  if (session.sessionId === undefined || lines.length === 0) return lines;
  const name = `${prefixOf(session)}json`;
  const { value } = readOwnJson(join(keptDirectory(TOLD), name), { maxBytes: MAX_BYTES, private: true });
  const told = toldSchema().safeParse(value).data?.told ?? [];
  const left = lines.filter((line) => !told.includes(sha256(line)));
  if (left.length > 0)
    await keepInHome(TOLD, name, JSON.stringify({ version: 1, told: [...told, ...left.map(sha256)] }));
  return left;
};
