/** The program for `hookwright run --as-hook`. It has no other command, because agents wait for it at each event. */
import { addEvents, allAgentEvents } from '../events/index.ts';
import { defineCommand } from './command.ts';
import type { ExitCode } from './command-outcome.ts';
import { runAsHook } from './commands/run/as-hook.ts';
import { runSpec } from './commands/run/spec.ts';
import { runCli } from './run-cli.ts';
import type { CliHost } from './terminal/screen.ts';

export const run = (host: CliHost): Promise<ExitCode> => {
  addEvents(allAgentEvents);
  return runCli(host, [defineCommand(runSpec, async () => ({ run: runAsHook }))]);
};
