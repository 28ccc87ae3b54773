/** Joins the spec of a command with its module, which is loaded when the command runs. */
import { type GlobalFlagValues, parseArguments } from './arguments/parse-arguments.ts';
import type { CommandSpec, CommandValues } from './arguments/spec.ts';
import type { CommandOutcome, ExitCode } from './command-outcome.ts';
import type { Context } from './context.ts';

/** The main function of a command, exported as `run`. A command that writes its output itself returns an exit code. */
export type CommandMain<Spec extends CommandSpec> = (
  given: CommandValues<Spec>,
  context: Context,
) => Promise<CommandOutcome | ExitCode>;

export interface Command {
  readonly spec: CommandSpec;
  readonly prepare: (words: readonly string[]) => PreparedCommand;
}

export interface PreparedCommand {
  readonly global: GlobalFlagValues;
  readonly run: (context: Context) => Promise<CommandOutcome | ExitCode>;
}

export const defineCommand = <Spec extends CommandSpec>(
  spec: Spec,
  load: () => Promise<{ readonly run: CommandMain<Spec> }>,
): Command => ({
  spec,
  prepare: (words) => {
    const { given, global } = parseArguments(spec, words);
    return { global, run: async (context) => (await load()).run(given, context) };
  },
});
