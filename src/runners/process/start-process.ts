// Starts processes, and explains why a start failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, isAbsolute, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describeThrown, doNothing, toError, waitWithinMs } from '../../kit/index.ts';
import { parseShebang, readBeginning, readErrorCode } from '../../kit/node.ts';
import type { ExecutionRequest } from './executor.ts';

export interface Child {
  readonly pid?: number | undefined;
  stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly starter?: number;
  /** Set if the `exit` event is delayed: the time of the exit by `performance.now()`. */
  readonly exitedAt?: number | undefined;
  on(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  removeListener(event: 'exit', listener: (exitCode: number | null, signal: string | null) => void): unknown;
  ref(): void;
  unref(): void;
  kill(): boolean;
}

export type StartedProcess = { readonly child: Child } | { readonly failure: Promise<Error> };

/** Returns the child synchronously, so that the caller misses no event. */
export type DirectStarter = (request: ExecutionRequest) => StartedProcess;

/** A child from a promise was started by the helper and has no listeners yet. */
export type ProcessStarter = (request: ExecutionRequest) => StartedProcess | Promise<StartedProcess>;

export const isNode = (file: string): boolean => /^node(?:\.exe)?$/i.test(basename(file));

/** An agent that is compiled to one executable must not be started in place of Node: it would start itself again and again. */
export const findNode = (): string => (isNode(process.execPath) ? process.execPath : 'node');

/** Windows has no process groups; a detached child would get its own console window. */
export const STARTS_GROUP = process.platform !== 'win32';

type Pipes = Pick<Child, 'stdin' | 'stdout' | 'stderr'>;

export const destroyPipes = ({ stdin, stdout, stderr }: Pipes): void => {
  for (const pipe of [stdin, stdout, stderr]) pipe?.on('error', doNothing).destroy();
};

/** Decides whether the child and its pipes keep the host alive. */
export const setRef = (child: Pipes & Pick<Child, 'ref' | 'unref'>, isRef: boolean): void => {
  const method = isRef ? 'ref' : 'unref';
  child[method]();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) if (pipe instanceof Socket) pipe[method]();
};

export const awaitStartFailure = (child: ChildProcess): Promise<Error> => {
  child.on('error', doNothing);
  destroyPipes(child);
  return new Promise((resolve) => child.once('error', resolve));
};

export const startDirectly: DirectStarter = ({ file, args, cwd, env, verbatim = false }) => {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: 'pipe',
      detached: STARTS_GROUP,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
    return child.pid === undefined ? { failure: awaitStartFailure(child) } : { child };
  } catch (error) {
    // Node throws instead of emitting `error` if the environment is too large, an argument has a NUL byte, or a path
    // leads through a file.
    return { failure: Promise.resolve(toError(error)) };
  }
};

type StartAttempt = Pick<ExecutionRequest, 'file' | 'cwd'>;

/** With a missing working directory, the system error names the command instead. */
const explainBadDirectory = async (cwd: string): Promise<string | undefined> => {
  try {
    const found = await stat(cwd);
    return found.isDirectory() ? undefined : `its working directory ${cwd} is not a directory`;
  } catch (error) {
    return `its working directory ${cwd} cannot be used: ${describeThrown(error)}`;
  }
};

const MAX_SHEBANG_BYTES = 256;

/** If a script's interpreter is missing, the system error says that the script is missing. */
const explainInterpreter = (path: string): string | undefined => {
  const line = readBeginning(path, MAX_SHEBANG_BYTES)?.toString('latin1').split('\n', 1)[0];
  const { program } = parseShebang(line) ?? {};
  if (program === undefined) return undefined;
  return line?.endsWith('\r') === true
    ? `${path} has Windows line endings, so its interpreter would be "${program}\\r"`
    : `the interpreter ${program} that ${path} names does not exist`;
};

const explainFile = async ({ file, cwd }: StartAttempt, code: string): Promise<string | undefined> => {
  const hasPath = /[\\/]/.test(file);
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  if (code === 'ENOENT' && hasPath) return explainInterpreter(path) ?? `${path} does not exist`;
  if (code === 'ENOENT') return `"${file}" is not on the PATH`;
  if (code !== 'EACCES') return undefined;
  if (!hasPath) return `"${file}" is on the PATH, but may not be executed`;
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isDirectory ? `${path} is a directory` : `${path} is not executable; chmod +x makes it so`;
};

const explainFailure = async (attempt: StartAttempt, code: string): Promise<string | undefined> =>
  (await explainBadDirectory(attempt.cwd)) ?? (await explainFile(attempt, code));

/** If a blocked file system delays the explanation for longer, the error is reported without an explanation. */
const MAX_EXPLAIN_MS = 30;

export const describeStartFailure = async (error: Error, attempt: StartAttempt): Promise<string> => {
  const code = readErrorCode(error) ?? 'unknown';
  const explanation = await waitWithinMs(MAX_EXPLAIN_MS, explainFailure(attempt, code));
  return `could not be started: ${code}: ${explanation ?? describeThrown(error)}`;
};

let ownRunIdPrefix: string | undefined;
let runCount = 0;

export const createRunId = (): string => {
  ownRunIdPrefix ??= crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  runCount += 1;
  return `${ownRunIdPrefix}-${runCount.toString(36)}`;
};
