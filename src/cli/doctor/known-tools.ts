/** Known tool names, and the search for misspelt ones in matchers and `if`. */
import { dialects } from '../../agents/index.ts';
import { catalogue, isHookEventName } from '../../events/index.ts';
import { describeThrown, isRecord, isTypingMistake, nearest } from '../../kit/index.ts';
import { type CompiledMatcher, compileMatcher, isSkippedByCondition, matchRegex } from '../../planner/index.ts';
import {
  conditionTexts,
  displayName,
  type HookConfig,
  type HookMessage,
  type HookRow,
  MessageBusType,
  notice,
  readCallPattern,
} from '../../protocol/index.ts';
import { readSession } from '../../sessions/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { recordedSessions } from '../sources/sessions.ts';

export interface KnownTools {
  readonly names: readonly string[];
  /** Whether the agent has no other tools. Then a matcher that matches none of them never matches. */
  readonly isComplete: boolean;
  readonly problems: readonly string[];
}

/** The names that agents give to the tool that runs shell commands. */
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

const toolsOfAgents: readonly string[] = dialects.flatMap(({ tools }) => tools.tools.flatMap(({ names }) => names));

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

/** The given tools, or those of well-known agents and of recordings. */
export const knownTools = async (given: readonly string[], cwd: string): Promise<KnownTools> => {
  if (given.length > 0) return { names: given, isComplete: true, problems: [] };
  const { names, problems } = await recordedTools(cwd);
  return { names: [...new Set([...names, ...wellKnown])], isComplete: false, problems };
};

/** Accepts hooks of `list` and of `explain`. */
interface ToolHook {
  readonly row: HookRow;
  readonly config?: HookConfig | undefined;
  readonly hook?: { readonly config?: HookConfig | undefined } | undefined;
}

const configOf = ({ config, hook }: ToolHook): HookConfig | undefined => config ?? hook?.config;

/** A part of a matcher or an `if` that matches no known tool. */
interface UnknownTool {
  readonly name: string;
  readonly what: string;
  /** The known tool that is probably meant. */
  readonly near: string | undefined;
  /** Whether a misspelling is nearly certain, because only a letter differs. */
  readonly isSlip: boolean;
}

export const unknownTools = (
  {
    eventName,
    matcher = '',
    dialect,
    if: condition = [],
  }: Pick<HookRow, 'eventName' | 'matcher' | 'dialect'> & Pick<HookConfig, 'if'>,
  { names, isComplete }: Pick<KnownTools, 'names' | 'isComplete'>,
): UnknownTool[] => {
  const subject = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  // Hooks of other agents have other matching rules.
  if (dialect !== undefined || subject?.from !== 'toolName') return [];
  const ofAnyAgent = [...names, ...wellKnown, ...toolsOfAgents];
  const known = isComplete ? names : ofAnyAgent;
  // Tools of MCP servers are unknown.
  const parts =
    /mcp/i.test(matcher) && !isComplete ? [] : partsOf(matcher, compileMatcher(matcher, subject.compare, matchRegex));
  const inMatcher = parts
    .filter((part) => !matchesAny(compileMatcher(part, 'pattern', matchRegex), known))
    .map((part) => unknown(part, known, `the matcher ${JSON.stringify(part)} matches no known tool`));
  // An `if` may name tools of several agents.
  const inCondition = conditionTexts(condition)
    .flatMap((text) => readCallPattern(text)?.tool ?? [])
    .filter((tool) => ofAnyAgent.every((tool_name) => isSkippedByCondition({ if: tool }, { tool_name }, '')))
    .map((tool) => unknown(tool, ofAnyAgent, `its \`if\` names the tool ${JSON.stringify(tool)}, which no agent has`))
    .filter(({ isSlip }) => isSlip);
  return [...inMatcher, ...inCondition];
};

const unknown = (name: string, known: readonly string[], what: string): UnknownTool => {
  const near = meantBy(name, known);
  const isSlip = near !== undefined && near.length > 3 && isTypingMistake(name.replaceAll('*', ''), near);
  return { name, what, near, isSlip };
};

/** The parts of a matcher that can be checked separately: words, or the whole. */
const partsOf = (matcher: string, { kind }: CompiledMatcher): string[] => {
  // An invalid regular expression is matched literally, which another check reports.
  if (kind === 'everything' || kind === 'literal') return [];
  return kind === 'words' ? matcher.trim().split('|') : [matcher.trim()];
};

export const matchesAny = ({ test }: CompiledMatcher, subjects: readonly string[]): boolean =>
  // A matcher that takes too long may match. Another check reports its slowness.
  subjects.some((subject) => test(subject) !== false);

export const meantBy = (matcher: string, known: readonly string[]): string | undefined => {
  const plain = matcher.replace(/[^\w|-]/g, '').split('|');
  const sameButForCase = known.find((name) => plain.some((word) => word.toLowerCase() === name.toLowerCase()));
  return sameButForCase ?? plain.flatMap((word) => nearest(word, known) ?? [])[0];
};

export const meantTool = (near: string): string => `if ${near} is meant, write ${near}`;

/** Adds a warning to the row of each hook that misspells a tool name. */
export const withMisspeltTools = async <T extends ToolHook>(hooks: readonly T[], cwd: string): Promise<T[]> => {
  const warned = (known: Pick<KnownTools, 'names' | 'isComplete'>): T[] =>
    hooks.map((hook) => {
      const found = unknownTools({ ...hook.row, if: configOf(hook)?.if }, known).flatMap(({ what, near, isSlip }) =>
        near === undefined || !isSlip ? [] : [notice('unknown-name', what, { fix: meantTool(near) })],
      );
      return found.length === 0
        ? hook
        : { ...hook, row: { ...hook.row, warnings: [...found, ...(hook.row.warnings ?? [])] } };
    });
  const first = warned({ names: [], isComplete: false });
  // Recordings are slow to read, so they are read only if some name is in doubt.
  return first.every((hook, index) => hook === hooks[index]) ? first : warned(await knownTools([], cwd));
};

export const misspeltProblems = (hooks: readonly ToolHook[]): CliProblem[] =>
  hooks.flatMap(({ row: { name, source, warnings = [] } }) =>
    warnings
      .filter(({ code }) => code === 'unknown-name')
      .map(({ code, message, fix }): CliProblem => {
        const { file, line } = source;
        return { severity: 'warning', code, message: `${displayName(name)}: ${message}`, hint: fix, file, line };
      }),
  );
