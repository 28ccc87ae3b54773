// The public interface of executors, which run processes for the engine.
import type { Logger } from '../../protocol/index.ts';

/** Byte limits of both output streams. A process that exceeds one is ended. */
export interface OutputLimits {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** A process to run. `stdin` is written unchanged, then closed. */
export interface ExecutionRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly limits: OutputLimits;
  /** Ends the process. The execution then settles with the output so far. */
  readonly signal?: AbortSignal | undefined;
  /** Keep processes that the hook started in the background. */
  readonly leaveBackground?: boolean;
  /** Windows: the arguments are already quoted; joined by spaces, they are the command line. */
  readonly verbatim?: boolean;
}

export interface ExecutionResult {
  /** `null` if a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string | Uint8Array;
  readonly stderr: string | Uint8Array;
  readonly timedOut?: boolean;
  readonly tooLarge?: boolean;
}

/** The process could not be started. */
export interface ExecutionFailure {
  readonly error: Error;
}

/**
 * Runs processes for the engine. By default they run on this machine; a host may provide its own executor, such as a
 * sandbox.
 */
export type Executor = (request: ExecutionRequest) => Promise<ExecutionResult | ExecutionFailure>;

/** Options of a host for the processes of its hooks. */
export interface ProcessOptions {
  readonly executor?: Executor | undefined;
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}
