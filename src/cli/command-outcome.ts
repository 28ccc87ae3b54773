import type { Text } from './rendering/text.ts';

/** A problem in settings or files, in the shape of the engine's own problems. */
export interface CliProblem {
  readonly severity: 'error' | 'warning';
  readonly code?: string | undefined;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly hint?: string | undefined;
}

/** The outcome of a command: data for programs, a text for people. Only one of the two is used. */
export interface CommandOutcome {
  /** Something was found or blocked: exit code 1. */
  readonly findings?: boolean;
  /** Ctrl-C came before the end: exit code 130. */
  readonly interrupted?: boolean;
  readonly data: unknown;
  readonly problems?: readonly CliProblem[];
  readonly text: () => Text;
}

/** Exit codes. To an agent, 2 of a hook means "block": only `run --as-hook` may end with it. */
export const ExitCode = {
  Ok: 0,
  /** Something was found or blocked, or what the command line names does not exist. */
  Findings: 1,
  /** `--as-hook` only: block. */
  Block: 2,
  Usage: 64,
  Internal: 70,
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
