/** The program that agents start at each event: `hookwright run --as-hook`. */
import { addEvents, allAgentEvents } from '../events/index.ts';
import { defineCommand } from './command.ts';
import type { ExitCode } from './command-outcome.ts';
import { runAsHook } from './commands/run/as-hook.ts';
import { runSpec } from './commands/run/spec.ts';
import { runCli } from './run-cli.ts';
import type { CliHost } from './terminal/screen.ts';

/** A separate program without the other commands and agents, because the agent waits for each start. */
export const run = (host: CliHost): Promise<ExitCode> => {
  addEvents(allAgentEvents);
  return runCli(host, [defineCommand(runSpec, async () => ({ run: runAsHook }))]);
};
