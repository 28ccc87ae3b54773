import type { Text } from './rendering/text.ts';

/** Something a command has to say beside its answer, in the shape of the engine's own problems. */
export interface CliProblem {
  readonly severity: 'error' | 'warning';
  readonly code?: string | undefined;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly hint?: string | undefined;
}

/** What a command came to: data for programs, a text for people. Only one of the two is asked for. */
export interface CommandOutcome {
  /** True when something was found or blocked, which ends the process with 1. */
  readonly findings?: boolean;
  /** True when Ctrl-C came before the end, which ends the process with 130. */
  readonly interrupted?: boolean;
  readonly data: unknown;
  readonly problems?: readonly CliProblem[];
  readonly text: () => Text;
}

/**
 * What the process ends with. 2 is left out on purpose: to an agent that runs a program as its hook it means "block", and
 * only `run --as-hook` may say that.
 */
export const ExitCode = {
  Ok: 0,
  /** Something was found, an action was blocked, or what was asked for is not there. */
  Findings: 1,
  /** `--as-hook` only: block. */
  Block: 2,
  Usage: 64,
  Internal: 70,
  /** Interrupted by Ctrl-C before there was a result. */
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
