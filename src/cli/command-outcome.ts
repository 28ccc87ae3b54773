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
