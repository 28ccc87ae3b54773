/** Runs the full command line. The events of other agents are registered before a command runs. */
import type { ExitCode } from './command-outcome.ts';
import { commands } from './commands.ts';
import { runCli } from './run-cli.ts';
import type { CliHost } from './terminal/screen.ts';

const withAgentEvents: typeof commands = commands.map(({ spec, prepare }) => ({
  spec,
  prepare: (words) => {
    const { global, run: runCommand } = prepare(words);
    const withEvents: typeof runCommand = async (context) => {
      const { addEvents, allAgentEvents } = await import('../events/index.ts');
      addEvents(allAgentEvents);
      return runCommand(context);
    };
    return { global, run: withEvents };
  },
}));

export const run = (host: CliHost): Promise<ExitCode> => runCli(host, withAgentEvents);
