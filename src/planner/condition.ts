// Evaluates the `if` of a hook, such as `Bash(git push *)`, for a tool call.
import { join, resolve, sep } from 'node:path';
import { isRecord, textOf } from '../kit/index.ts';
import { findHomeDirectory } from '../kit/node.ts';
import {
  type CallPattern,
  explainInvalidCondition,
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  isGuardEntry,
  listConditionTexts,
  type Notice,
  notice,
  readCallPattern,
  suggestCondition,
} from '../protocol/index.ts';
import { matchesWildcards } from './wildcards.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export interface ConditionCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly cwd: string;
  readonly projectDir: string;
}

/**
 * Returns false for events without a tool: the hook runs. With an invalid `if`, a guard runs for every call and any
 * other hook for none.
 */
export const isSkippedByCondition = (hook: HookConfig, input: object, projectDir: string): boolean => {
  if (hook.if === undefined || getOrigin(hook)?.dialect !== undefined) return false;
  const { tool_name: tool, tool_input, cwd }: JsonObject = { ...input };
  if (typeof tool !== 'string') return false;
  const patterns = listConditionTexts(hook.if).map(readCallPattern);
  if (isGuardEntry({ ...hook }) && (patterns.length === 0 || patterns.includes(undefined))) return false;
  const call = { tool, input: isRecord(tool_input) ? tool_input : {}, cwd: textOf(cwd) ?? projectDir, projectDir };
  return !patterns.some((pattern) => pattern !== undefined && fitsCallPattern(pattern, call));
};

export const createMismatchResult = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration: 0,
  skipped: 'condition-mismatch',
});

export const checkCondition = (hook: HookConfig, hasTool: boolean): readonly Notice[] => {
  if (hook.if === undefined || getOrigin(hook)?.dialect !== undefined) return [];
  if (!hasTool) return [notice('no-effect', 'its event is not about a tool, so its `if` is ignored')];
  const unread = explainInvalidCondition(hook.if);
  if (unread === undefined) return [];
  const runs = isGuardEntry({ ...hook }) ? 'the guard runs for every call' : 'the hook runs for no call';
  return [
    notice('invalid-condition', `its \`if\` cannot be read (${unread}): ${runs}`, { fix: suggestCondition(hook.if) }),
  ];
};

/** Tool names depend on the host, so the members of the input decide what a pattern is compared with. */
const fitsCallPattern = ({ tool, about }: CallPattern, call: ConditionCall): boolean => {
  if (!coversTool(tool, call.tool) && !matchesWildcards(tool, call.tool)) return false;
  if (about === undefined) return true;
  const { input } = call;
  const judges = argumentTests.filter(({ members }) => members.some((member) => input[member] !== undefined));
  return judges.length === 0 || judges.some(({ fits }) => fits(about, call));
};

/** Decides like Claude Code, by its tool names. In doubt the pattern matches, because a superfluous run is harmless. */
export const fitsCondition = (condition: string, call: ConditionCall): boolean => {
  const pattern = readCallPattern(condition);
  if (pattern === undefined) return true;
  const { tool, about } = pattern;
  if (!coversTool(tool, call.tool)) return false;
  const fits = argumentTestsByTool[tool];
  return about === undefined || fits === undefined || fits(about, call);
};

/**
 * In Claude Code a pattern for `Edit` applies to every tool that edits, and one for `Read` to every tool that reads.
 */
const toolsCoveredBy: Readonly<Record<string, readonly string[]>> = {
  Edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  Read: ['Read', 'Grep', 'Glob', 'LS'],
};

const shellToolNamePattern =
  /^(?:(?:run|exec|execute)_?)?(?:in_?)?(?:shell|bash|terminal|commands?|cmd|powershell)(?:_?(?:command|cmd|exec|tool))?$/i;

export const isShellToolName = (name: string): boolean => shellToolNamePattern.test(name.replaceAll('-', '_'));

export const listCoveredTools = (tool: string): readonly string[] => [
  tool,
  ...(toolsCoveredBy[tool] ?? []),
  ...(tool === 'Task' ? ['Agent'] : []),
];

const coversTool = (tool: string, name: string): boolean => {
  if (toolsCoveredBy[tool]?.includes(name) === true) return true;
  if (!tool.startsWith('mcp__')) return tool === name || (tool === 'Task' && name === 'Agent');
  return matchesWildcards(tool, name) || name.startsWith(`${tool}__`);
};

const matchesCommand = (pattern: string, command: string): boolean => {
  const prefix = pattern.endsWith(':*') ? pattern.slice(0, -2) : undefined;
  if (prefix !== undefined) return command === prefix || command.startsWith(`${prefix} `);
  // `git push *` matches `git push` too.
  return matchesWildcards(pattern, command) || (pattern.endsWith(' *') && command === pattern.slice(0, -2));
};

/** True if the pattern requires arguments. They may be hidden in an expansion of the command line, such as `$FILES`. */
const hasArguments = (pattern: string): boolean => /\s+[^\s*]/.test(pattern.replace(/:\*$/, ''));

const findFirstText = (input: JsonObject, members: readonly string[]): string | undefined =>
  members.map((member) => textOf(input[member])).find((text) => text !== undefined);

type ArgumentTest = (about: string, call: ConditionCall) => boolean;

const commandMembers = ['command', 'cmd'];

const matchesCommandLine: ArgumentTest = (pattern, { input }) => {
  const line = findFirstText(input, commandMembers);
  if (line === undefined) return true;
  if (hasArguments(pattern) && /\$\(|`|\$\w|\$\{/.test(line)) return true;
  const commands = listCommands(line);
  return commands === undefined || commands.some((one) => matchesCommand(pattern, one));
};

const anchorPattern = (pattern: string, cwd: string, projectDir: string): string => {
  if (pattern.startsWith('//')) return pattern.slice(1);
  if (pattern.startsWith('~/')) return join(findHomeDirectory(), pattern.slice(2));
  if (pattern.startsWith('/')) return join(projectDir, pattern);
  const below = pattern.replace(/^\.\//, '');
  if (below.startsWith('**/')) return `/${below}`;
  return join(cwd, below.includes('/') ? below : `**/${below}`);
};

const toSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

const pathMembers = ['file_path', 'notebook_path', 'path', 'absolute_path', 'filePath'];

const matchesPath: ArgumentTest = (pattern, { input, cwd, projectDir }) => {
  const path = findFirstText(input, pathMembers);
  if (path === undefined) return true;
  const glob = anchorPattern(pattern, cwd, projectDir);
  const full = path.startsWith('~/') ? join(findHomeDirectory(), path.slice(2)) : resolve(cwd, path);
  return fitsPathGlob(toSlashes(glob), toSlashes(full));
};

const matchesUrl: ArgumentTest = (pattern, { input: { url } }) => {
  const address = textOf(url) ?? '';
  if (!URL.canParse(address)) return true;
  const host = /^domain:(.+)$/.exec(pattern)?.[1];
  if (host === undefined) return matchesWildcards(pattern, address);
  const { hostname } = new URL(address);
  return hostname === host || hostname.endsWith(`.${host}`) || matchesWildcards(host, hostname);
};

const matchesSubagent: ArgumentTest = (pattern, { input: { subagent_type: type } }) =>
  textOf(type) === undefined || type === pattern;

const argumentTestsByTool: Readonly<Record<string, ArgumentTest>> = {
  Bash: matchesCommandLine,
  Edit: matchesPath,
  Write: matchesPath,
  Read: matchesPath,
  WebFetch: (about, call) => !about.startsWith('domain:') || matchesUrl(about, call),
  Agent: matchesSubagent,
  Task: matchesSubagent,
};

const argumentTests: readonly { readonly members: readonly string[]; readonly fits: ArgumentTest }[] = [
  { members: commandMembers, fits: matchesCommandLine },
  { members: pathMembers, fits: matchesPath },
  { members: ['url'], fits: matchesUrl },
  { members: ['subagent_type'], fits: matchesSubagent },
];

/** Lists the commands of a shell line, those in `$()` and backticks too. `undefined` if it cannot be parsed. */
export const listCommands = (line: string): string[] | undefined => {
  const reader = new CommandLineReader(line);
  if (!reader.read() || reader.commands.some(beginsWithRedirection)) return undefined;
  return reader.commands
    .map(withoutKeywords)
    .map(withoutAssignments)
    .filter((command) => command !== '');
};

/** True for a command such as `> file command`, which does not begin with its program. */
const beginsWithRedirection = (command: string): boolean => /^\d*[<>]/.test(command);

/** Removes shell keywords: `if git push` and `do git push` run `git push`. */
const withoutKeywords = (command: string): string =>
  command.replace(/^(?:(?:if|then|else|elif|while|until|do|time|coproc|!|\{)(?=\s)\s+)+/, '');

/** Removes assignments: `A=1 B='x' git push` runs `git push`. */
const withoutAssignments = (command: string): string =>
  command.replace(/^(?:\s*\w+=(?:'[^']*'|"[^"]*"|[^\s'"])*(?=\s|$))+/, '').trim();

const commandSeparators: readonly string[] = [';', '&', '|', '\n', '(', ')'];

/** A command inside `$(…)` or backticks is listed separately; `$()` replaces it in the outer command. */
const replaceInnerCommand = (piece: string): string =>
  piece.length > 1 && /\$\(|`/.test(piece) && !piece.startsWith("'") ? '$()' : piece;

class CommandLineReader {
  readonly commands: string[] = [];
  readonly #line: string;
  #at = 0;
  #open = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** Returns false if a quote or bracket is not closed. */
  read(end?: ')' | '`'): boolean {
    let command = '';
    const finish = (): void => {
      this.commands.push(command.trim());
      command = '';
    };
    while (this.#at < this.#line.length) {
      const character = this.#line.charAt(this.#at);
      if (character === end && this.#open === 0) {
        this.#at += 1;
        finish();
        return true;
      }
      const start = this.#at;
      if (!this.#pass(character)) return false;
      if (character === '(') this.#open += 1;
      if (character === ')') this.#open -= 1;
      if (this.#open < 0) return false;
      if (commandSeparators.includes(character)) finish();
      else command += replaceInnerCommand(this.#line.slice(start, this.#at));
    }
    finish();
    return end === undefined && this.#open === 0;
  }

  #pass(character: string): boolean {
    if (character === '\\') this.#at += 2;
    else if (character === "'") return this.#passQuote();
    else if (character === '"') return this.#passText();
    else if (character === '`') return this.#inside(1, '`');
    else if (this.#line.startsWith('$(', this.#at)) return this.#inside(2, ')');
    else this.#at += 1;
    return true;
  }

  #passQuote(): boolean {
    const close = this.#line.indexOf("'", this.#at + 1);
    this.#at = close + 1;
    return close >= 0;
  }

  #passText(): boolean {
    this.#at += 1;
    while (this.#at < this.#line.length) {
      const character = this.#line.charAt(this.#at);
      if (character === '"') {
        this.#at += 1;
        return true;
      }
      if (character === "'") this.#at += 1;
      else if (!this.#pass(character)) return false;
    }
    return false;
  }

  #inside(skip: number, end: ')' | '`'): boolean {
    this.#at += skip;
    const outside = this.#open;
    this.#open = 0;
    const isRead = this.read(end) && this.#open === 0;
    this.#open = outside;
    return isRead;
  }
}

/**
 * `**`, `*`, `?`, `[a-c]`, `[!a]`, `{one,other}` and `\` are supported. Any other syntax matches, because a
 * superfluous run is harmless.
 */
export const fitsPathGlob = (glob: string, path: string): boolean => {
  if (unsupportedGlobPattern.test(glob) || (glob.match(/\{/g)?.length ?? 0) > MAX_BRACE_GROUPS) return true;
  try {
    return expandAlternatives(glob).some((one) => new RegExp(`^${toRegexSource(one)}(?:/.*)?$`, 's').test(path));
  } catch {
    // The glob has an invalid character range such as `[z-a]`.
    return true;
  }
};

/** Every `{…}` group multiplies the number of globs to compare. */
const MAX_BRACE_GROUPS = 8;

/** Extended globs such as `+(a|b)`, ranges such as `{1..3}` and named classes are not supported. */
const unsupportedGlobPattern = /[@+*?!]\(|\{[^{}]*\.\.|\[\[?[:.=]/;

const expandAlternatives = (glob: string): readonly string[] => {
  const group = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (group === null) return [glob];
  const [before, after] = [glob.slice(0, group.index), glob.slice(group.index + group[0].length)];
  return (group[1] ?? '').split(',').flatMap((one) => expandAlternatives(`${before}${one}${after}`));
};

const globTokenPattern =
  /\\(?<escaped>.)|(?<![^/])(?<anywhere>\*\*\/)+|\/(?<below>\*\*)$|(?<![^/])(?<name>\*+)(?![^/])|(?<some>\*+)|(?<one>\?)|\[(?<not>[!^]?)(?<set>\]?[^\]/]+)\]|./gs;

const escapeLiteral = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const toRegexSource = (glob: string): string => {
  let source = '';
  for (const { 0: token, groups = {} } of glob.matchAll(globTokenPattern)) {
    const { escaped, anywhere, below, name, some, one, not, set } = groups;
    if (anywhere !== undefined) source += '(?:[^/]+/)*';
    else if (name !== undefined) source += '[^/]+';
    else if (some !== undefined) source += '[^/]*';
    else if (one !== undefined) source += '[^/]';
    else if (set !== undefined) source += `(?!/)[${not === '' ? '' : '^'}${set.replace(/[\\\][^]/g, '\\$&')}]`;
    else if (below === undefined) source += escapeLiteral(escaped ?? token);
  }
  return source;
};
