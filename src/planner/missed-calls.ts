// Finds hooks that no tool call reaches, because the matcher or the `if` names no known tool or both exclude each
// other.
import { catalogue, isHookEventName } from '../events/index.ts';
import { findNearestName, isTypingMistake } from '../kit/index.ts';
import {
  type AgentHook,
  getOrigin,
  type HookConfig,
  isGuardEntry,
  listConditionTexts,
  readCallPattern,
  suggestMatcher,
} from '../protocol/index.ts';
import { isShellToolName, isSkippedByCondition, listCoveredTools } from './condition.ts';
import { matchRegex } from './match-regex.ts';
import { type CompiledMatcher, compileMatcher } from './matcher.ts';

const toolNamesByKind: Readonly<Record<string, readonly string[]>> = {
  shell: [
    ...['Bash', 'bash', 'Shell', 'shell', 'ShellTool', 'run_shell', 'run_shell_command', 'shell_exec', 'shell_command'],
    ...['execute_shell', 'exec_shell', 'local_shell', 'powershell', 'run_command', 'execute_command', 'exec_command'],
    ...['exec', 'terminal', 'run_terminal_command', 'run_terminal_cmd', 'run_in_terminal'],
  ],
  read: ['Read', 'read_file', 'read_many_files', 'view'],
  write: ['Write', 'write_file', 'create'],
  edit: ['Edit', 'MultiEdit', 'replace', 'edit', 'apply_patch'],
  glob: ['Glob', 'glob'],
  grep: ['Grep', 'grep_search', 'search_file_content'],
  list: ['LS', 'list_directory'],
  fetch: ['WebFetch', 'web_fetch'],
  search: ['WebSearch', 'google_web_search'],
  agent: ['Task', 'task'],
  todo: ['TodoWrite', 'write_todos', 'todo_write'],
  ask: ['AskUserQuestion'],
  other: [
    ...['BashOutput', 'KillShell', 'NotebookEdit', 'ExitPlanMode', 'Skill', 'Delete'],
    ...['save_memory', 'update_plan', 'view_image'],
  ],
};

export const shellTools: readonly string[] = toolNamesByKind.shell ?? [];

export const wellKnownTools: readonly string[] = Object.values(toolNamesByKind).flat();

export interface HostTool {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly aliases?: readonly string[];
}

export interface CallingAgent {
  readonly title: string;
  readonly tools: readonly HostTool[];
  /** How the agent names MCP tools, such as `mcp_{server}_{tool}`. */
  readonly mcpNames?: string | undefined;
}

export interface HookToMatch {
  readonly eventName: string;
  readonly matcher?: string | undefined;
  /** Set if the hook was written for another agent. */
  readonly dialect?: string | undefined;
  readonly config?: HookConfig | undefined;
}

export interface MissedCalls {
  readonly message: string;
  readonly fix: string;
}

interface ParsedMatchers {
  readonly written: string;
  readonly conditions: readonly string[];
  /** `undefined` for hooks of other agents, which are matched by the rules of their agent. */
  readonly compiled?: CompiledMatcher;
  readonly dialect?: AgentHook | undefined;
  readonly matches: (tool: string) => boolean;
  readonly fits: (tool: string) => boolean;
}

const parseMatchers = ({
  eventName,
  matcher,
  dialect: agent,
  config = {},
}: HookToMatch): ParsedMatchers | undefined => {
  const subject = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  if (subject?.from !== 'toolName') return undefined;
  const dialect = getOrigin(config)?.dialect;
  if (dialect !== undefined)
    return {
      dialect,
      written: matcher ?? '',
      conditions: dialect.condition === undefined ? [] : [dialect.condition],
      matches: (tool) => dialect.matches({ toolName: tool }) !== false,
      fits: (tool) => dialect.toolFor(tool).fits,
    };
  if (agent !== undefined) return undefined;
  const compiled = compileMatcher(matcher, subject.compare, matchRegex, isGuardEntry({ ...config }));
  return {
    compiled,
    written: matcher?.trim() ?? '',
    conditions: listConditionTexts(config.if ?? []),
    // `test` returns `'timeout'` for a pattern that is too slow. That has a problem of its own, so it counts as a match.
    matches: (tool) => compiled.test(tool) !== false,
    fits: (tool) => compiled.test(tool) !== false && !isSkippedByCondition(config, { tool_name: tool }, ''),
  };
};

const findServerName = (name: string): string | undefined => /^mcp__([\w-]+?)__/.exec(name)?.[1];

const isAboutMcp = (text: string): boolean => /mcp/i.test(text);

const findToolNames = (conditions: readonly string[]): string[] =>
  conditions.flatMap((text) => readCallPattern(text)?.tool ?? []);

const splitWords = (text: string): string[] => text.split(/[^\w-]+/).filter((word) => word !== '');

const quoteTexts = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(' or ');

export const findContradiction = (hook: HookToMatch): MissedCalls | undefined => {
  const reading = parseMatchers(hook);
  if (reading === undefined || reading.conditions.length === 0 || reading.compiled?.kind === 'everything')
    return undefined;
  const { written, conditions, matches, fits } = reading;
  const tools = findToolNames(conditions);
  const words = splitWords(written);
  if (tools.length < conditions.length || words.length === 0) return undefined;
  const named = tools.flatMap(listCoveredTools);
  const candidates = [...named, ...words, ...wellKnownTools];
  // `findMissedCalls` reports a matcher that fits no tool at all.
  if (!candidates.some(matches) || candidates.some(fits)) return undefined;
  const isOpen = (name: string): boolean => name.includes('*') || name.startsWith('mcp__');
  const isOfOtherServer = (name: string): boolean => {
    const server = findServerName(`${name}__`);
    return server !== undefined && words.every((word) => ![undefined, server].includes(findServerName(word)));
  };
  // If the matcher and the `if` both have a wildcard, an unknown tool may match both.
  const isDecided =
    tools.every((name) => !isOpen(name) || isOfOtherServer(name)) ||
    (!isAboutMcp(written) && words.every((word) => wellKnownTools.includes(word)));
  if (!isDecided) return undefined;
  return {
    message: `its matcher ${JSON.stringify(written)} and its \`if\` ${quoteTexts(conditions)} fit no tool together, so it never runs`,
    fix: 'name the same tool in both, or leave out one of them',
  };
};

interface ToolSuggestion {
  readonly names: readonly string[];
  /** True if the name is almost certainly a misspelt tool name. */
  readonly isMisspelled: boolean;
}

const listToolKinds = (word: string): string[] => {
  const kinds = Object.keys(toolNamesByKind).filter((kind) => toolNamesByKind[kind]?.includes(word) === true);
  return kinds.length === 0 && isShellToolName(word) ? ['shell'] : kinds;
};

const isSameButForCase = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

export const suggestTools = (word: string, tools: readonly HostTool[]): ToolSuggestion => {
  const named = (fits: (tool: HostTool) => boolean): string[] => [
    ...new Set(tools.filter(fits).map(({ name }) => name)),
  ];
  const ofKinds = (kinds: readonly string[]): string[] =>
    named(({ kind }) => kind !== undefined && kind !== 'other' && kinds.includes(kind));
  const same = named(({ name }) => isSameButForCase(name, word));
  if (same.length > 0) return { names: same, isMisspelled: true };
  const aliased = named(({ aliases = [] }) => aliases.includes(word));
  if (aliased.length > 0) return { names: aliased, isMisspelled: false };
  const ofKind = ofKinds(listToolKinds(word));
  if (ofKind.length > 0 || wellKnownTools.includes(word)) return { names: ofKind, isMisspelled: false };
  const all = tools.map(({ name }) => name);
  const near = findNearestName(word, all);
  if (near !== undefined) return { names: [near], isMisspelled: isMisspellingOf(word, near) };
  const known = findNearestName(word, wellKnownTools);
  return known === undefined
    ? { names: [], isMisspelled: false }
    : { names: ofKinds(listToolKinds(known)), isMisspelled: isMisspellingOf(word, known) };
};

const isMisspellingOf = (word: string, near: string): boolean => near.length > 3 && isTypingMistake(word, near);

const splitMatcher = (matcher: string, { kind }: CompiledMatcher): string[] => {
  // An invalid regular expression is compared as a literal; `validate` reports it.
  if (kind === 'everything' || kind === 'literal') return [];
  return kind === 'words' ? matcher.trim().split('|') : [matcher.trim()];
};

export const formatToolNameFix = (near: string): string => `if ${near} is meant, write ${near}`;

const describeMissedTool = (
  { name, isInCondition }: { readonly name: string; readonly isInCondition: boolean },
  { names, isMisspelled }: ToolSuggestion,
  title: string,
): MissedCalls => ({
  message: isInCondition
    ? `its \`if\` names the tool ${JSON.stringify(name)}, which ${title} does not have`
    : `the matcher ${JSON.stringify(name)} matches no tool of ${title}`,
  fix: isMisspelled ? formatToolNameFix(names.join(' or ')) : `add ${names.join(' and ')}, as ${title} calls it`,
});

/**
 * Reports a tool name that the agent lacks only if the agent has a similar tool. Any other name may belong to a tool
 * that only the user knows.
 */
export const findMissedCalls = (hook: HookToMatch, { title, tools, mcpNames }: CallingAgent): MissedCalls[] => {
  const reading = parseMatchers(hook);
  if (reading === undefined) return [];
  const { written, compiled, conditions, matches, dialect } = reading;
  if (dialect !== undefined) return findMissedByAgentHook(reading, dialect, { title, tools });
  const inMatcher = compiled === undefined || isAboutMcp(written) ? [] : splitMatcher(written, compiled);
  const parts = [
    ...inMatcher.map((name) => {
      const { kind, test } = compileMatcher(name, 'pattern', matchRegex);
      const known = kind === 'words' ? name : (wellKnownTools.find((tool) => test(tool) === true) ?? name);
      return { name, known, isInCondition: false, fits: (tool: string) => test(tool) !== false, isTaken: matches };
    }),
    ...findToolNames(conditions)
      .filter((name) => !isAboutMcp(name))
      .map((name) => {
        const fitsOne = (names: string[]) => (tool: string) =>
          !isSkippedByCondition({ if: names }, { tool_name: tool }, '');
        const isTaken = fitsOne(findToolNames(conditions));
        return { name, known: name, isInCondition: true, fits: fitsOne([name]), isTaken };
      }),
  ];
  const missed = parts.flatMap(({ name, known, isInCondition, fits, isTaken }) => {
    if (tools.some((tool) => fits(tool.name))) return [];
    const meant = suggestTools(known, tools);
    const isSure =
      meant.isMisspelled || wellKnownTools.includes(known) || isAlias(known, tools) || isShellToolName(known);
    const names = meant.names.filter((tool) => !isTaken(tool));
    return names.length === 0 || !isSure
      ? []
      : [describeMissedTool({ name, isInCondition }, { ...meant, names }, title)];
  });
  return [...missed, ...findMissedServers(reading, title, mcpNames)];
};

/** Some agents name MCP tools `mcp_server_tool` (`form`) instead of `mcp__server__tool`. */
const findMissedServers = ({ written, conditions }: ParsedMatchers, title: string, form = ''): MissedCalls[] => {
  const [prefix = ''] = form.split('{');
  const isOwn = (word: string): boolean => word.startsWith(prefix) && !word.startsWith(`${prefix}_`);
  return [written.split(/[^\w:-]+/), findToolNames(conditions)].flatMap((names, index) => {
    const name = names.find((one) => /^mcp__?[a-z\d-]/i.test(one) && !isOwn(one));
    if (prefix === '' || name === undefined || names.some(isOwn)) return [];
    const missed = describeMissedTool({ name, isInCondition: index === 1 }, noSuggestion, title);
    return [{ ...missed, fix: `${title} calls such tools ${form}` }];
  });
};

const noSuggestion: ToolSuggestion = { names: [], isMisspelled: false };

export const findMissedCallsOrContradiction = (
  hook: HookToMatch,
  agents: readonly CallingAgent[],
): readonly (MissedCalls & { readonly code: 'condition-mismatch' | 'unknown-name' })[] => {
  const excluded = findContradiction(hook);
  return excluded === undefined
    ? agents.flatMap((agent) => findMissedCalls(hook, agent)).map((missed) => ({ code: 'unknown-name', ...missed }))
    : [{ code: 'condition-mismatch', ...excluded }];
};

const isAlias = (word: string, tools: readonly HostTool[]): boolean =>
  tools.some(({ aliases = [] }) => aliases.includes(word));

/** A hook of another agent names the tools of that agent, and calls are translated for it. */
const findMissedByAgentHook = (
  reading: ParsedMatchers,
  dialect: AgentHook,
  { title, tools }: CallingAgent,
): MissedCalls[] => {
  const { isInCondition, words } = findWordsWithoutTool(reading, tools) ?? { isInCondition: false, words: [] };
  const its = selectCalledTools(dialect, tools);
  return words.flatMap((name) => {
    const meant = suggestTools(name, its);
    return meant.names.length === 0 || !meant.isMisspelled
      ? []
      : [describeMissedTool({ name, isInCondition }, meant, title)];
  });
};

const selectCalledTools = (dialect: AgentHook, tools: readonly HostTool[]): HostTool[] =>
  tools.map(({ name, kind }) => ({ name: dialect.toolFor(name).name, kind }));

const findWordsWithoutTool = (
  { dialect, written, conditions, matches, fits }: ParsedMatchers,
  tools: readonly HostTool[],
): { readonly isInCondition: boolean; readonly words: readonly string[] } | undefined => {
  if (tools.some(({ name }) => fits(name))) return undefined;
  const isInCondition = tools.some(({ name }) => matches(name));
  const words = isInCondition ? findToolNames(conditions) : splitWords(written);
  // The event of the other agent may be about a kind of tool that this host lacks.
  if (dialect !== undefined && words.length === 0) return undefined;
  // A host may not know the tools of an MCP server.
  return words.some(isAboutMcp) ? undefined : { isInCondition, words };
};

interface UnreachedHook {
  readonly isInCondition: boolean;
  readonly written: string;
  /** Absent if the matcher is in no known wrong form and no tool has a similar name. */
  readonly fix: string | undefined;
  readonly names: readonly string[];
}

/** `tools` must be all tools of the host. `undefined` if one of them may reach the hook. */
export const findUnreachedHook = (hook: HookToMatch, tools: readonly HostTool[]): UnreachedHook | undefined => {
  const reading = parseMatchers(hook);
  const missed = reading && findWordsWithoutTool(reading, tools);
  if (reading === undefined || missed === undefined) return undefined;
  const { isInCondition, words } = missed;
  const { dialect, conditions, written } = reading;
  const its = dialect === undefined ? tools : selectCalledTools(dialect, tools);
  const [near] = words.flatMap((word) => suggestTools(word, its).names);
  const fixOfName = near === undefined ? undefined : formatToolNameFix(near);
  return {
    isInCondition,
    written: JSON.stringify(isInCondition ? (hook.config?.if ?? conditions[0]) : (hook.matcher ?? written)),
    fix: (isInCondition || dialect !== undefined ? undefined : suggestMatcher(hook.matcher ?? '')) ?? fixOfName,
    names: [...new Set(its.map(({ name }) => name))],
  };
};

export interface KnownTools {
  readonly names: readonly string[];
  readonly isComplete: boolean;
}

export interface UnknownTool {
  readonly name: string;
  readonly what: string;
  readonly near: string | undefined;
  readonly isMisspelled: boolean;
}

export const findUnknownTools = (
  hook: HookToMatch,
  { names, isComplete }: KnownTools,
  ofAgents: readonly string[],
): UnknownTool[] => {
  const reading = parseMatchers(hook);
  if (reading?.compiled === undefined) return [];
  const { written, compiled, conditions } = reading;
  const ofAnyAgent = [...names, ...wellKnownTools, ...ofAgents];
  const known = isComplete ? names : ofAnyAgent;
  // The tools of a user's MCP server are unknown.
  const inMatcher = (isAboutMcp(written) && !isComplete ? [] : splitMatcher(written, compiled))
    .filter((part) => !matchesAny(compileMatcher(part, 'pattern', matchRegex), known))
    .map((part) => createUnknownTool(part, known, `the matcher ${JSON.stringify(part)} matches no known tool`));
  // One `if` may name the tools of several agents, so only misspelt names are reported.
  const inCondition = findToolNames(conditions)
    .filter((tool) => ofAnyAgent.every((tool_name) => isSkippedByCondition({ if: tool }, { tool_name }, '')))
    .map((tool) =>
      createUnknownTool(tool, ofAnyAgent, `its \`if\` names the tool ${JSON.stringify(tool)}, which no agent has`),
    )
    .filter(({ isMisspelled }) => isMisspelled);
  return [...inMatcher, ...inCondition];
};

const createUnknownTool = (name: string, known: readonly string[], what: string): UnknownTool => {
  const near = suggestName(name, known);
  return { name, what, near, isMisspelled: near !== undefined && isMisspellingOf(name.replaceAll('*', ''), near) };
};

export const matchesAny = ({ test }: CompiledMatcher, subjects: readonly string[]): boolean =>
  // `test` returns `'timeout'` for a pattern that is too slow. That has a problem of its own, so it counts as a match.
  subjects.some((subject) => test(subject) !== false);

export const suggestName = (matcher: string, known: readonly string[]): string | undefined => {
  const plain = matcher.replace(/[^\w|-]/g, '').split('|');
  const sameButForCase = known.find((name) => plain.some((word) => isSameButForCase(name, word)));
  return sameButForCase ?? plain.flatMap((word) => findNearestName(word, known) ?? [])[0];
};
