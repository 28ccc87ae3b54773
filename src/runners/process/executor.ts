// The public interface for a host's own way to run processes, such as a sandbox.
import type { Logger } from '../../protocol/index.ts';
import type { OutputReader } from '../answer/parse-output.ts';
import type { Variables } from '../command/shell-words.ts';

/** A process that prints more is ended. */
export interface OutputLimits {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** `stdin` is written unchanged, then closed. */
export interface ExecutionRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly limits: OutputLimits;
  /** Aborting ends the process; the result contains the output so far. */
  readonly signal?: AbortSignal | undefined;
  /** Processes that the hook started in the background are not ended. */
  readonly leaveBackground?: boolean;
  /** Windows: the arguments are already quoted; joined by spaces, they are the command line. */
  readonly verbatim?: boolean;
}

export interface ExecutionResult {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string | Uint8Array;
  readonly stderr: string | Uint8Array;
  readonly timedOut?: boolean;
  readonly tooLarge?: boolean;
}

export interface ExecutionFailure {
  readonly error: Error;
}

/** Runs processes for the engine, for example in a sandbox. Default: processes run on this machine. */
export type Executor = (request: ExecutionRequest) => Promise<ExecutionResult | ExecutionFailure>;

export interface ProcessLaneOptions {
  readonly executor?: Executor | undefined;
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
  readonly isTrial?: boolean | undefined;
}
