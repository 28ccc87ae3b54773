import { ByteCollector } from './byte-collector.ts';
import { describeStart } from './describe-start.ts';
import type { ExecutionFailure, ExecutionRequest, ExecutionResult } from './executor.ts';
import type { RunnerLimits } from './limits.ts';
import { onAbort } from './on-abort.ts';
import type { ProcessGroup, ProcessTable } from './process-table.ts';
import { afterSettling } from './settle.ts';
import type { Started, StartProcess } from './start-process.ts';

export interface ProcessRequest extends ExecutionRequest {
  /** What marks the processes of this run. */
  readonly runId: string;
}

/** How a process of ours ended. */
export interface ProcessResult extends ExecutionResult {
  /** The request's signal ended the run. */
  readonly aborted?: boolean;
  readonly warnings?: readonly string[];
}

export interface ProcessDeps {
  readonly processes: ProcessTable;
  readonly start: StartProcess;
  readonly limits: Pick<RunnerLimits, 'drainMs'>;
}

type Exit = Pick<ExecutionResult, 'exitCode' | 'signal'>;

const ignore = (): void => undefined;

const notEnded: Exit = { exitCode: null };

/**
 * Watches one child until it can be answered for: when it has exited and both its streams have ended, or some time after
 * its exit when somebody else holds them; when it runs out of time, prints too much, or is aborted. The answer comes
 * first, ending what is left of it later.
 */
class Watch {
  readonly #request: ProcessRequest;
  readonly #deps: ProcessDeps;
  readonly #child: (Started & { child: unknown })['child'];
  readonly #group: ProcessGroup;
  readonly #resolve: (result: ProcessResult) => void;
  readonly #stdout: ByteCollector;
  readonly #stderr: ByteCollector;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stopListening: (() => void) | undefined;
  #drain: ReturnType<typeof setTimeout> | undefined;
  #exit: Exit | undefined;
  #openStreams = 2;
  #isSettled = false;

  constructor(
    child: (Started & { child: unknown })['child'],
    group: ProcessGroup,
    request: ProcessRequest,
    deps: ProcessDeps,
    resolve: (result: ProcessResult) => void,
  ) {
    this.#child = child;
    this.#group = group;
    this.#request = request;
    this.#deps = deps;
    this.#resolve = resolve;
    this.#stdout = new ByteCollector(request.limits.stdoutBytes);
    this.#stderr = new ByteCollector(request.limits.stderrBytes);
    this.#timer = setTimeout(() => afterSettling(() => this.#runOutOfTime()), request.timeoutMs);
    this.#stopListening = request.signal && onAbort(request.signal, () => this.#abort());
    child.on('error', ignore);
    child.on('exit', (exitCode, signal) => this.#noteExit(exitCode, signal));
    this.#collect(child.stdout, this.#stdout);
    this.#collect(child.stderr, this.#stderr);
    // Many hooks never read their input: the pipe breaks, and that is their right.
    child.stdin?.on('error', ignore);
    child.stdin?.end(request.stdin);
  }
}
