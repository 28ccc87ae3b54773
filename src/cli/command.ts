import { type GlobalGiven, parseArguments } from './arguments/parse-arguments.ts';
import type { CommandSpec, Given } from './arguments/spec.ts';
import type { CommandOutcome, ExitCode } from './command-outcome.ts';
import type { Context } from './context.ts';

/** The export `run` of a command's module. A number is an exit code of its own. */
export type Run<Spec extends CommandSpec> = (
  given: Given<Spec>,
  context: Context,
) => Promise<CommandOutcome | ExitCode>;

/** A command of the table: its spec, and how to run it. */
export interface Command {
  readonly spec: CommandSpec;
  /** Parses the words behind the command. */
  readonly prepare: (words: readonly string[]) => PreparedCommand;
}

export interface PreparedCommand {
  readonly global: GlobalGiven;
  readonly run: (context: Context) => Promise<CommandOutcome | ExitCode>;
}

/** Joins a spec with the module of its command, which is loaded when the command runs. */
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
