/** The command line cannot be used as it is. The message says what was found; the hint, what to write instead. */
export class UsageError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** What was asked for could be there and is not, such as a recording: a finding, and nothing wrong with the command line. */
export class NothingThere extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'NothingThere';
    this.hint = hint;
  }
}
