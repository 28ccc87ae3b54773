/** Errors of the command line, each with a hint what to write instead. */
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

/** The command line is valid, but what it names does not exist, such as a recording: exit code 1. */
export class NothingThere extends HintedError {
  override readonly name = 'NothingThere';
}
