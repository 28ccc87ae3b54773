import { describeThrown, isRecord } from '../../kit/index.ts';
import { type HookMessage, MessageBusType } from '../../protocol/index.ts';
import { readSession } from '../../sessions/index.ts';
import { recordedSessions } from '../sources/sessions.ts';

/** Names of tools that matchers are compared with. */
export interface KnownTools {
  readonly names: readonly string[];
  /** Whether these are all there are: then a matcher that matches none of them never matches. */
  readonly isComplete: boolean;
  readonly problems: readonly string[];
}

/** What agents, and examples for those who write one, call the tool that runs commands. */
export const shellTools: readonly string[] = [
  ...['Bash', 'bash', 'Shell', 'shell', 'ShellTool', 'run_shell', 'run_shell_command', 'shell_exec', 'shell_command'],
  ...['execute_shell', 'exec_shell', 'local_shell', 'powershell', 'run_command', 'execute_command', 'exec_command'],
  ...['exec', 'terminal', 'run_terminal_command', 'run_terminal_cmd', 'run_in_terminal'],
];

const wellKnown: readonly string[] = [
  ...shellTools,
  ...['BashOutput', 'KillShell', 'Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Glob', 'Grep', 'LS'],
  ...['WebFetch', 'WebSearch', 'Task', 'TodoWrite', 'ExitPlanMode', 'AskUserQuestion', 'Skill', 'Delete'],
  ...['read_file', 'read_many_files', 'write_file', 'replace', 'edit', 'list_directory', 'glob'],
  ...['grep_search', 'search_file_content', 'google_web_search', 'web_fetch', 'save_memory', 'write_todos', 'task'],
  ...['todo_write', 'apply_patch', 'update_plan', 'view_image', 'view', 'create'],
];

const MAX_SESSIONS = 10;

const toolIn = (message: HookMessage): string[] => {
  if (message.type !== MessageBusType.HOOK_EXECUTION_REQUEST) return [];
  const payload = message.payload ?? message.input;
  return isRecord(payload) && typeof payload.tool_name === 'string' ? [payload.tool_name] : [];
};

const recordedTools = async (cwd: string): Promise<{ names: Set<string>; problems: string[] }> => {
  const names = new Set<string>();
  const problems: string[] = [];
  for (const file of recordedSessions(cwd).slice(0, MAX_SESSIONS)) {
    try {
      for await (const { message } of readSession(file)) for (const name of toolIn(message)) names.add(name);
    } catch (error) {
      problems.push(`${file} cannot be read, so its tools are not known: ${describeThrown(error)}`);
    }
  }
  return { names, problems };
};

/** The named tools; else those of well-known agents and those that were called in recordings. */
export const knownTools = async (given: readonly string[], cwd: string): Promise<KnownTools> => {
  if (given.length > 0) return { names: given, isComplete: true, problems: [] };
  const { names, problems } = await recordedTools(cwd);
  return { names: [...new Set([...names, ...wellKnown])], isComplete: false, problems };
};
