/** The door of the command line: what the binary starts, and what its documentation is made from. */
export { commands } from './commands.ts';
export { runCli } from './run-cli.ts';
