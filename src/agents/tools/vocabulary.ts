import { suggestion } from '../../kit/index.ts';
import type { JsonObject } from '../rule-types.ts';

/**
 * What a tool does, whatever it is called. The arguments beside each are those that most agents have under one name or
 * another; they are the words in which a call travels from one vocabulary to another.
 */
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

/** Arguments that one name for one name cannot express: a call is written and read as a whole. */
export interface Codec {
  readonly write: (kind: ToolKind, common: Readonly<JsonObject>) => JsonObject | undefined;
  readonly read: (input: Readonly<JsonObject>) => { readonly kind: ToolKind; readonly common: JsonObject } | undefined;
  /** A call that does several things at once, as calls that do one each. */
  readonly split: (input: Readonly<JsonObject>) => readonly Readonly<JsonObject>[];
}

/** One tool of a vocabulary. */
export interface Tool {
  readonly kind: ToolKind;
  /** The name on stdin first, then others that matchers may use. */
  readonly names: readonly string[];
  /** Common argument → the name it has here. A common argument that is not named does not exist here. */
  readonly args?: Readonly<Record<string, string>>;
  readonly codec?: Codec;
  /** Read from this name, but never written: another tool of the same kind is. */
  readonly onlyRead?: boolean;
}

/** How names of MCP tools are written: `{server}` and `{tool}` in a text. */
export type McpNames = string;

export interface Vocabulary {
  readonly tools: readonly Tool[];
  readonly mcp?: McpNames;
}

/**
 * A host's own names, where they are those of no dialect: a kind, or a kind and what its arguments are called. Tools of no
 * other kind are `other`: their calls are not translated.
 */
export type HostTools = Readonly<
  Record<string, string | { readonly kind: string; readonly args?: Readonly<Record<string, string>> }>
>;

const sameNames = (kind: ToolKind): Record<string, string> =>
  Object.fromEntries(toolKinds[kind].map((name) => [name, name]));

interface HostVocabulary {
  readonly vocabulary: Vocabulary;
  /** Kinds that do not exist. */
  readonly unknown: readonly string[];
  /** Arguments that their kind does not have. */
  readonly unknownArgs: readonly string[];
}

/** `file_path` is near to `path` as well. */
const nearestArgument = (name: string, known: readonly string[]): string => {
  const [within] = known.filter((one) => name.split(/[_-]|(?=[A-Z])/).some((word) => word.toLowerCase() === one));
  return within === undefined ? suggestion(name, known) : `; did you mean "${within}"?`;
};

const argumentsMissing = (name: string, kind: ToolKind, args: Readonly<Record<string, string>>): string[] => {
  const known: readonly string[] = toolKinds[kind];
  const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  return Object.keys(args)
    .filter((arg) => !known.includes(arg))
    .map((arg) => `${name}: kind "${kind}" has no argument "${arg}"${nearestArgument(arg, known)} (${has})`);
};

const OTHER = 'other';

/** The vocabulary of a host that names its tools itself. Unknown kinds and arguments are reported, not guessed. */
export const vocabularyOf = (host: HostTools): HostVocabulary => {
  const tools: Tool[] = [];
  const unknown: string[] = [];
  const unknownArgs: string[] = [];
  for (const [name, entry] of Object.entries(host)) {
    const { kind, args } = typeof entry === 'string' ? { kind: entry, args: undefined } : entry;
    if (kind === OTHER) continue;
    if (isToolKind(kind)) {
      tools.push({ kind, names: [name], args: args ?? sameNames(kind) });
      unknownArgs.push(...argumentsMissing(name, kind, args ?? {}));
    } else unknown.push(`${name}: "${kind}"`);
  }
  return { vocabulary: { tools }, unknown, unknownArgs };
};

const SHELL =
  /^(?:(?:run|exec|execute)_?)?(?:in_?)?(?:shell|bash|terminal|commands?|cmd|powershell)(?:_?(?:command|cmd|exec|tool))?$/i;

/**
 * A tool of a host that told nothing of its tools, where its name says that it runs commands: a guard of the shell is not to
 * be passed by another spelling.
 */
export const shellNamed = (name: string): Vocabulary | undefined =>
  SHELL.test(name.replaceAll('-', '_')) ? vocabularyOf({ [name]: 'shell' }).vocabulary : undefined;

/** Tools by the names that most hooks of other agents were written for. */
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
