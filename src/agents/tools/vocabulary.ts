// Kinds of tools with their common arguments, and the vocabularies that map an agent's or host's names to them.
import { formatSuggestion } from '../../kit/index.ts';
import { type HostTool, isShellToolName } from '../../planner/index.ts';
import type { JsonObject } from '../rule-types.ts';

/** Kind of tool → common names of its arguments, into which the arguments of every agent are translated. */
export const toolKinds = {
  shell: ['command', 'description', 'cwd', 'timeout', 'background'],
  read: ['path', 'offset', 'limit'],
  readMany: ['paths'],
  write: ['path', 'content'],
  edit: ['path', 'before', 'after', 'all'],
  delete: ['path'],
  glob: ['pattern', 'path'],
  grep: ['pattern', 'path', 'glob'],
  list: ['path'],
  fetch: ['url', 'prompt'],
  search: ['query'],
  agent: ['prompt', 'description', 'agent'],
  todo: [],
  ask: [],
} as const satisfies Record<string, readonly string[]>;

export type ToolKind = keyof typeof toolKinds;

const isToolKind = (kind: string): kind is ToolKind => Object.hasOwn(toolKinds, kind);

/** Converts arguments that do not map one to one, such as a patch. */
export interface ArgumentCodec {
  readonly write: (kind: ToolKind, common: Readonly<JsonObject>) => JsonObject | undefined;
  readonly read: (input: Readonly<JsonObject>) => { readonly kind: ToolKind; readonly common: JsonObject } | undefined;
  readonly split: (input: Readonly<JsonObject>) => readonly Readonly<JsonObject>[];
}

export interface VocabularyTool {
  readonly kind: ToolKind;
  /** The name on stdin, then other names that matchers may use. */
  readonly names: readonly string[];
  /** Common argument → its name in this tool; absent if the tool has no such argument. */
  readonly args?: Readonly<Record<string, string>>;
  readonly codec?: ArgumentCodec;
}

export interface Vocabulary {
  readonly tools: readonly VocabularyTool[];
  /** The form of MCP tool names, with `{server}` and `{tool}`. */
  readonly mcp?: string;
}

/** A host's own tools: name → kind, or kind and argument names. Calls of kind `other` are not translated. */
export type HostTools = Readonly<
  Record<string, string | { readonly kind: string; readonly args?: Readonly<Record<string, string>> }>
>;

export const listCalledTools = ({ tools }: Vocabulary): HostTool[] =>
  tools.flatMap(({ kind, names: [name, ...aliases] }) => (name === undefined ? [] : [{ name, kind, aliases }]));

const suggestArgument = (name: string, known: readonly string[]): string => {
  const [within] = known.filter((one) => name.split(/[_-]|(?=[A-Z])/).some((word) => word.toLowerCase() === one));
  return within === undefined ? formatSuggestion(name, known) : `; did you mean "${within}"?`;
};

const findUnknownArguments = (name: string, kind: ToolKind, args: Readonly<Record<string, string>>): string[] => {
  const known: readonly string[] = toolKinds[kind];
  const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  return Object.keys(args)
    .filter((arg) => !known.includes(arg))
    .map((arg) => `${name}: kind "${kind}" has no argument "${arg}"${suggestArgument(arg, known)} (${has})`);
};

/** `unknown` and `unknownArgs` are the host's mistakes. */
export const createVocabulary = (host: HostTools) => {
  const tools: VocabularyTool[] = [];
  const unknown: string[] = [];
  const unknownArgs: string[] = [];
  for (const [name, entry] of Object.entries(host)) {
    const { kind, args } = typeof entry === 'string' ? { kind: entry, args: undefined } : entry;
    if (kind === 'other') continue;
    if (isToolKind(kind)) {
      tools.push({ kind, names: [name], args: args ?? Object.fromEntries(toolKinds[kind].map((arg) => [arg, arg])) });
      unknownArgs.push(...findUnknownArguments(name, kind, args ?? {}));
    } else unknown.push(`${name}: "${kind}"`);
  }
  const vocabulary: Vocabulary = { tools };
  return { vocabulary, unknown, unknownArgs };
};

/** For hosts that list no tools: guards of the shell also apply to a tool whose name is like `run_shell`. */
export const createShellVocabulary = (name: string): Vocabulary | undefined =>
  isShellToolName(name) ? createVocabulary({ [name]: 'shell' }).vocabulary : undefined;

/** Claude Code's tools, for which most hooks of other agents were written. */
export const claudeTools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['Bash'],
      args: { command: 'command', description: 'description', timeout: 'timeout', background: 'run_in_background' },
    },
    { kind: 'read', names: ['Read'], args: { path: 'file_path', offset: 'offset', limit: 'limit' } },
    { kind: 'write', names: ['Write'], args: { path: 'file_path', content: 'content' } },
    {
      kind: 'edit',
      names: ['Edit'],
      args: { path: 'file_path', before: 'old_string', after: 'new_string', all: 'replace_all' },
    },
    { kind: 'glob', names: ['Glob'], args: { pattern: 'pattern', path: 'path' } },
    { kind: 'grep', names: ['Grep'], args: { pattern: 'pattern', path: 'path', glob: 'glob' } },
    { kind: 'list', names: ['LS'], args: { path: 'path' } },
    { kind: 'fetch', names: ['WebFetch'], args: { url: 'url', prompt: 'prompt' } },
    { kind: 'search', names: ['WebSearch'], args: { query: 'query' } },
    {
      kind: 'agent',
      names: ['Agent', 'Task'],
      args: { prompt: 'prompt', description: 'description', agent: 'subagent_type' },
    },
    { kind: 'todo', names: ['TodoWrite'], args: {} },
    { kind: 'ask', names: ['AskUserQuestion'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};
