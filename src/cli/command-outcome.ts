/** The result of a command, and the exit codes of the command line. */
import type { Text } from './rendering/text.ts';

export interface CliProblem {
  readonly severity: 'error' | 'warning';
  readonly code?: string | undefined;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly hint?: string | undefined;
}

export interface CommandOutcome {
  /** Whether the command found problems or blocked a call. The exit code is then 1. */
  readonly findings?: boolean;
  readonly interrupted?: boolean;
  readonly data: unknown;
  readonly problems?: readonly CliProblem[];
  readonly text: () => Text;
}

/** Only `run --as-hook` may exit with 2, because agents read this exit code of a hook as a block. */
export const ExitCode = {
  Ok: 0,
  Findings: 1,
  Block: 2,
  Usage: 64,
  Internal: 70,
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
