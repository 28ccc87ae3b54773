/**
 * A door of this folder, that is, a file that other folders may import: exports code that starts processes or parses
 * command lines. The engine loads the file with the first command hook.
 */

export { decode } from './answer/decode.ts';
export { findDocument } from './answer/find-document.ts';
export { parseAbilityOutput } from './answer/parse-ability-output.ts';
export { type OutputReader, parseOutput } from './answer/parse-output.ts';
export { createLaunch } from './command/command-line.ts';
export {
  findInlineProgram,
  isInterpreter,
  listCommands,
  listStartedFiles,
  parseCommands,
  type SimpleCommand,
} from './command/command-words.ts';
export { CleanEnvironment, getOwnVariables, isForeign } from './command/foreign-environment.ts';
export { loadExeca, runCommand } from './command/run-command.ts';
export { expandPlainly, splitPlainWords, type Variables } from './command/shell-words.ts';
export { selectKnownVariables } from './environment.ts';
export { CommandLane } from './lanes/command-lane.ts';
export { EventRun } from './lanes/event-run.ts';
export { readOwnEnvironment } from './lanes/host-environment.ts';
export { exchangeHttp } from './lanes/http/exchange.ts';
export { readHttpTarget } from './lanes/http/http-lane.ts';
export { isFolderVariable } from './lanes/state-folders.ts';
export { isShell, listScriptProblems, type Script } from './preflight/inspect-launch.ts';
export { getOrphanGuard, type OrphanGuard } from './process/orphan-guard.ts';
export { ProcessTable } from './process/process-table.ts';
export { endProcessesOfRun, findProcessesOfRun, type RunProcesses } from './process/processes-of-run.ts';
export { runProcess } from './process/run-process.ts';
export { createRunId, type DirectStarter, STARTS_GROUP, startDirectly } from './process/start-process.ts';
export { findShells, removeProjectFromPath } from './shells.ts';
