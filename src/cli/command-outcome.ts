/** The result that a command returns, and the exit codes. */
import type { Text } from './rendering/text.ts';

/** A mistake in settings or in another file, with the fields of the engine's problems. */
export interface CliProblem {
  readonly severity: 'error' | 'warning';
  readonly code?: string | undefined;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly hint?: string | undefined;
}

/** The result of a command: `data` with `--json`, otherwise `text`. */
export interface CommandOutcome {
  /** The command found or blocked something: exit code 1. */
  readonly findings?: boolean;
  /** The user pressed Ctrl-C: exit code 130. */
  readonly interrupted?: boolean;
  readonly data: unknown;
  readonly problems?: readonly CliProblem[];
  readonly text: () => Text;
}

/** Only `run --as-hook` may end with 2: agents take this exit code of a hook for "block". */
export const ExitCode = {
  Ok: 0,
  /** The command found or blocked something, or the named thing does not exist. */
  Findings: 1,
  /** `--as-hook` only: block. */
  Block: 2,
  Usage: 64,
  Internal: 70,
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
