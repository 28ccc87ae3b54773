/** Joins the spec of a command with its module, which is loaded when the command runs. */
import { type GlobalFlagValues, parseArguments } from './arguments/parse-arguments.ts';
import type { CommandSpec, CommandValues } from './arguments/spec.ts';
import type { CommandOutcome, ExitCode } from './command-outcome.ts';
import type { Context } from './context.ts';

/** The export `run` of a command's module. It returns an outcome, or an exit code after writing its own output. */
export type RunCommand<Spec extends CommandSpec> = (
  given: CommandValues<Spec>,
  context: Context,
) => Promise<CommandOutcome | ExitCode>;

export interface Command {
  readonly spec: CommandSpec;
  /** Parses the words after the name of the command. */
  readonly prepare: (words: readonly string[]) => PreparedCommand;
}

export interface PreparedCommand {
  readonly global: GlobalFlagValues;
  readonly run: (context: Context) => Promise<CommandOutcome | ExitCode>;
}

export const command = <Spec extends CommandSpec>(
  spec: Spec,
  load: () => Promise<{ readonly run: RunCommand<Spec> }>,
): Command => ({
  spec,
  prepare: (words) => {
    const { given, global } = parseArguments(spec, words);
    return { global, run: async (context) => (await load()).run(given, context) };
  },
});
