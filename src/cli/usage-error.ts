/** Errors that end a command, each with a hint for the user and an exit code. */
import { ExitCode } from './command-outcome.ts';

export abstract class HintedError extends Error {
  abstract readonly code: 'usage' | 'nothing-there';
  abstract readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export class UsageError extends HintedError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  readonly exitCode = ExitCode.Usage;
}

/** The command line is valid, but what it names, such as a recording, does not exist. */
export class NotFoundError extends HintedError {
  override readonly name = 'NotFoundError';
  readonly code = 'nothing-there';
  readonly exitCode = ExitCode.Findings;
}
