import { closeSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isRecord, once, parseJson } from '../../../kit/index.ts';
import { readOwnFile, sha256 } from '../../../kit/node.ts';
import { type HookRow, rowSchema } from '../../../protocol/index.ts';
import type { Context } from '../../context.ts';
import { packageProgram } from '../../package-version.ts';
import { keepInHome, keptDirectory } from './session-project.ts';

/** What hooks in the background said after their call was answered waits here for the next call of their session. */
export interface SessionWords {
  readonly agent: string;
  readonly sessionId: string | undefined;
}

const DIRECTORY = 'agent-words';
const MAX_BYTES = 4 * 2 ** 20;

const wordsSchema = once(() => z.object({ version: z.literal(1), rows: z.array(z.readonly(rowSchema())) }));

const prefixOf = ({ agent, sessionId }: SessionWords): string => `${sha256(`${agent} ${sessionId}`).slice(0, 32)}.`;

export const keepWords = async (session: SessionWords, rows: readonly HookRow[]): Promise<void> => {
  if (session.sessionId === undefined || rows.length === 0) return;
  const name = `${prefixOf(session)}${Date.now()}-${process.pid}.json`;
  await keepInHome(DIRECTORY, name, JSON.stringify({ version: 1, rows }));
};

/** How hooks in the background have ended since; each is returned once. */
export const takeWords = (session: SessionWords): readonly HookRow[] => {
  const directory = keptDirectory(DIRECTORY);
  const rows: HookRow[] = [];
  for (const name of namesIn(directory, prefixOf(session))) {
    const taken = join(directory, `taken-${process.pid}-${name}`);
    try {
      renameSync(join(directory, name), taken);
    } catch {
      // Another call of the session was first.
      continue;
    }
    const found = readOwnFile(taken, { maxBytes: MAX_BYTES, private: true });
    const json = 'text' in found ? parseJson(found.text) : undefined;
    const read = json?.ok === true ? wordsSchema().safeParse(json.value) : undefined;
    if (read?.success === true) rows.push(...read.data.rows);
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
