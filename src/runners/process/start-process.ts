import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { toError } from '../../kit/index.ts';
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
