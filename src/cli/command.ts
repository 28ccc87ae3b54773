import { type GlobalGiven, parseArguments } from './arguments/parse-arguments.ts';
import type { CommandSpec, Given } from './arguments/spec.ts';
import type { CommandOutcome, ExitCode } from './command-outcome.ts';
import type { Context } from './context.ts';

/** What the module of a command exports as `run`. A number is for those that end with a code of their own. */
export type Run<Spec extends CommandSpec> = (
  given: Given<Spec>,
  context: Context,
) => Promise<CommandOutcome | ExitCode>;

/** A command as the table lists it: what is known at once, and how to get the rest. */
export interface Command {
  readonly spec: CommandSpec;
  /** Reads the words behind the command; what comes back runs it. */
  readonly prepare: (words: readonly string[]) => PreparedCommand;
}

export interface PreparedCommand {
  readonly global: GlobalGiven;
  readonly run: (context: Context) => Promise<CommandOutcome | ExitCode>;
}

/** Joins the record of a command with its module, which is loaded only when the command runs. */
export const command = <Spec extends CommandSpec>(
  spec: Spec,
  load: () => Promise<{ readonly run: Run<Spec> }>,
): Command => ({
  spec,
  prepare: (words) => {
    const { given, global } = parseArguments(spec, words);
    return { global, run: async (context) => (await load()).run(given, context) };
  },
});
