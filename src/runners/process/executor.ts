import type { Logger } from '../../protocol/index.ts';

/** Byte limits of the two output streams; beyond one, the process is ended. */
export interface OutputLimits {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** One process to run. `stdin` is written as it stands, then closed. */
export interface ExecutionRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly limits: OutputLimits;
  /** Ends the process; the execution then settles at once, with whatever was printed so far. */
  readonly signal?: AbortSignal | undefined;
  /** Leave processes alone that the hook put into the background. */
  readonly leaveBackground?: boolean;
  /** Windows: the arguments are quoted already and form the command line as they stand, joined by blanks. */
  readonly verbatim?: boolean;
}

export interface ExecutionResult {
  /** `null` when the process was ended by a signal: there is no number that would be true. */
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

/** Runs processes for the engine. The default does so on this machine; a host may bring its own (a sandbox, a remote one). */
export type Executor = (request: ExecutionRequest) => Promise<ExecutionResult | ExecutionFailure>;

/** What a host may say of the processes of its hooks. */
export interface ProcessOptions {
  readonly executor?: Executor | undefined;
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}
