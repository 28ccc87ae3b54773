/** Joins the spec of a command with its module, which is loaded when the command runs. */
import { type GlobalFlagValues, parseArguments } from './arguments/parse-arguments.ts';
import type { CommandSpec, CommandValues } from './arguments/spec.ts';
import type { CommandOutcome, ExitCode } from './command-outcome.ts';
import type { Context } from './context.ts';

/** A command's module exports this function as `run`. An exit code means that it has written its own output. */
export type RunCommand<Spec extends CommandSpec> = (
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
  load: () => Promise<{ readonly run: RunCommand<Spec> }>,
): Command => ({
  spec,
  prepare: (words) => {
    const { given, global } = parseArguments(spec, words);
    return { global, run: async (context) => (await load()).run(given, context) };
  },
});
