import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describeThrown, onAbort } from '../../../kit/index.ts';
import { codeOf } from '../../../kit/node.ts';
import { TAP_VARIABLE } from '../../../sessions/tap.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Context } from '../../context.ts';
import type { Listener } from './listener.ts';

/** What the agent said last is on its way when it has ended; a child of it that holds the line is not waited for. */
const PATIENCE_MS = 1_000;
const STDERR = 2;

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });

const patience = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref();
  });

const whyNotStarted = (program: string, cause: unknown): UsageError =>
  codeOf(cause) === 'ENOENT'
    ? new UsageError(
        `${program} could not be started: there is no such program`,
        'write the command of your agent after --: hookwright record -- node agent.mjs',
      )
    : new UsageError(`${program} could not be started: ${describeThrown(cause)}`);

const perform = async (program: string, args: readonly string[], path: string, context: Context): Promise<number> => {
  const { cwd, signal, isJson } = context;
  const child = execa(program, args, {
    cwd,
    env: { [TAP_VARIABLE]: path },
    reject: false,
    // Its own Ctrl-C reaches the agent from the terminal; with --json stdout is for the envelope.
    stdio: ['inherit', isJson ? STDERR : 'inherit', 'inherit'],
  });
  const stopListening = onAbort(signal, () => {
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  });
  const { exitCode, signal: endedBy, cause } = await child;
  stopListening();
  if (exitCode !== undefined) return exitCode;
  if (endedBy === undefined) throw whyNotStarted(program, cause);
  return 1;
};

/** Starts an agent that connects to us with its first engine, and resolves with its exit code. */
export const launch = async (
  program: string,
  args: readonly string[],
  listener: Listener,
  context: Context,
): Promise<number> => {
  if (process.platform === 'win32')
    throw new UsageError('recording another program needs sockets that Windows does not have');
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-record-'));
  const server = createServer((socket) => void listener.listenTo(socket));
  try {
    const path = join(directory, 'record.sock');
    await listen(server, path);
    const exitCode = await perform(program, args, path, context);
    await Promise.race([listener.idle(), patience()]);
    return exitCode;
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
};
