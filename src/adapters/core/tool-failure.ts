/**
 * A tool that failed although it gave an output, as SDKs tell their models about errors. AfterToolFailure hooks are told of it,
 * and the output is what the SDK gets.
 */
export class ToolFailure extends Error {
  readonly output: unknown;

  constructor(message: string, output: unknown) {
    super(message);
    this.output = output;
  }
}

/** What a call came to, or the failure whose output the SDK gets. */
export const orFailure = async <Called>(call: Promise<Called>): Promise<Called | ToolFailure> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
