/** Errors of the command line, with a hint how to correct it. */
class HintedError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command line is invalid: exit code 64. */
export class UsageError extends HintedError {
  override readonly name = 'UsageError';
}

/** The command line is valid, but the thing that it names, such as a recording, does not exist: exit code 1. */
export class NotFoundError extends HintedError {
  override readonly name = 'NotFoundError';
}
