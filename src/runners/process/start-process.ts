import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describeThrown, toError, withinMs } from '../../kit/index.ts';
import { readBeginning, shebangOf } from '../../kit/node.ts';
import type { ExecutionRequest } from './executor.ts';

/** What is needed of a child, however it was started. */
export interface Child {
  readonly pid?: number | undefined;
  stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** The process whose child it is, where that is not this one. */
  readonly starter?: number;
  /** When it ended, by `performance.now()`, where that is told with some delay. */
  readonly exitedAt?: number | undefined;
  on(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  removeListener(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  ref(): void;
  unref(): void;
  kill(): boolean;
}

/** A child whose streams are pipes, or the reason why there is none. */
export type StartedProcess = { readonly child: Child } | { readonly failure: Promise<Error> };

/** Starts one process and hands it over in the same turn, so that nothing it does can be missed. */
export type StartProcess = (request: ExecutionRequest) => StartedProcess;

/** The same through a helper. A child handed over later has no listeners yet. */
export type Start = (request: ExecutionRequest) => StartedProcess | Promise<StartedProcess>;

/** Without groups, as on Windows, a detached child would get a console window of its own. */
export const leadsGroup = process.platform !== 'win32';

const ignore = (): void => undefined;

/**
 * What is left of a child that could not be started. It says why in an `error` event, which ends the host without a
 * listener; with no file descriptors left it does not even have streams.
 */
export const failureOf = (child: ChildProcess): Promise<Error> => {
  child.on('error', ignore);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', ignore).destroy();
  return new Promise((resolve) => child.once('error', resolve));
};

/** Starts by `child_process.spawn` itself. */
export const startDirectly: StartProcess = ({ file, args, cwd, env, verbatim = false }) => {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: 'pipe',
      detached: leadsGroup,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
    return child.pid === undefined ? { failure: failureOf(child) } : { child };
  } catch (error) {
    // Too large an environment, a NUL byte, a path through a file: these are thrown, not emitted.
    return { failure: Promise.resolve(toError(error)) };
  }
};

interface Attempt {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : 'unknown');

/** What is wrong with a working directory, if anything is. The system blames the command for it. */
const troubleWithDirectory = async (cwd: string): Promise<string | undefined> => {
  try {
    const found = await stat(cwd);
    return found.isDirectory() ? undefined : `its working directory ${cwd} is not a directory`;
  } catch (error) {
    return `its working directory ${cwd} cannot be used: ${describeThrown(error)}`;
  }
};

const MAX_SHEBANG = 256;

const firstLineOf = (path: string): string | undefined =>
  readBeginning(path, MAX_SHEBANG)?.toString('latin1').split('\n', 1)[0];

/** A script whose interpreter is missing fails as if the script were. */
const troubleWithInterpreter = async (path: string): Promise<string | undefined> => {
  const line = firstLineOf(path);
  const { program } = shebangOf(line) ?? {};
  if (program === undefined) return undefined;
  return line?.endsWith('\r') === true
    ? `${path} has Windows line endings, so its interpreter would be "${program}\\r"`
    : `the interpreter ${program} that ${path} names does not exist`;
};

const troubleWithFile = async ({ file, cwd }: Attempt, code: string): Promise<string | undefined> => {
  const hasPath = /[\\/]/.test(file);
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  if (code === 'ENOENT' && hasPath) return (await troubleWithInterpreter(path)) ?? `${path} does not exist`;
  if (code === 'ENOENT') return `"${file}" is not on the PATH`;
  if (code !== 'EACCES') return undefined;
  if (!hasPath) return `"${file}" is on the PATH, but may not be executed`;
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isDirectory ? `${path} is a directory` : `${path} is not executable; chmod +x makes it so`;
};

/** File systems can hang, and so can the threads that ask them; an answer without the words is better than none. */
const PATIENCE_MS = 30;

const troubleWith = async (attempt: Attempt, code: string): Promise<string | undefined> =>
  (await troubleWithDirectory(attempt.cwd)) ?? (await troubleWithFile(attempt, code));

/** Says in words why a process could not be started, with the system's code in front. */
export const describeStart = async (error: Error, attempt: Attempt): Promise<string> => {
  const code = codeOf(error);
  const trouble = await withinMs(PATIENCE_MS, troubleWith(attempt, code));
  return `could not be started: ${code}: ${trouble ?? describeThrown(error)}`;
};

/** Unlike that of any other process, or thread. */
let own: string | undefined;
let runs = 0;

/** An id for one run. Short, because the orphan guard reads every letter of it. */
export const newRunId = (): string => {
  own ??= crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  runs += 1;
  return `${own}-${runs.toString(36)}`;
};
