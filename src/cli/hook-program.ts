import { addEvents, allAgentEvents } from '../events/index.ts';
import { command } from './command.ts';
import type { ExitCode } from './command-outcome.ts';
import { runAsHook } from './commands/run/as-hook.ts';
import { runSpec } from './commands/run/spec.ts';
import { runCli } from './run-cli.ts';
import type { CliHost } from './terminal/screen.ts';

/**
 * `hookwright run --as-hook` by itself: an agent waits for it at each of its events. It is built as a program of its own, in
 * which nothing of the other commands is, nor of agents that do not ask.
 */
export const run = (host: CliHost): Promise<ExitCode> => {
  addEvents(allAgentEvents);
  return runCli(host, [command(runSpec, async () => ({ run: runAsHook }))]);
};
