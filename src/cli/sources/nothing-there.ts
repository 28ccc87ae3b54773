/** What was asked for could be there and is not, such as a recording: a finding, and nothing wrong with the command line. */
export class NothingThere extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'NothingThere';
    this.hint = hint;
  }
}
