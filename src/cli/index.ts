/** Exports the commands and `runCli` for scripts and tests. */
export { commands } from './commands.ts';
export { runCli } from './run-cli.ts';
