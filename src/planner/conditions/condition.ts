import { join, resolve, sep } from 'node:path';
import { isRecord, textOf } from '../../kit/index.ts';
import { homeDirectory } from '../../kit/node.ts';
import {
  type CallPattern,
  CONDITION_HINT,
  conditionTexts,
  type HookConfig,
  type HookExecutionResult,
  isGuardEntry,
  type Notice,
  notice,
  originOf,
  readCallPattern,
  whyNoCondition,
} from '../../protocol/index.ts';
import { commandsIn } from './commands-in.ts';
import { fitsPathGlob } from './path-glob.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call of a tool, as an `if` sees it. */
export interface ConditionCall {
  readonly tool: string;
  readonly input: Json;
  readonly cwd: string;
  readonly projectDir: string;
}

/**
 * Whether the `if` of a hook keeps it from this event. Events without a tool have nothing to compare it with. A guard whose
 * `if` cannot be read runs for every call; any other hook runs for none.
 */
export const isSkippedByCondition = (hook: HookConfig, input: object, projectDir: string): boolean => {
  if (hook.if === undefined || originOf(hook)?.dialect !== undefined) return false;
  const { tool_name: tool, tool_input, cwd }: Json = { ...input };
  if (typeof tool !== 'string') return false;
  const patterns = conditionTexts(hook.if).map(readCallPattern);
  if (isGuardEntry({ ...hook }) && (patterns.length === 0 || patterns.includes(undefined))) return false;
  const call = { tool, input: isRecord(tool_input) ? tool_input : {}, cwd: textOf(cwd) ?? projectDir, projectDir };
  return !patterns.some((pattern) => pattern !== undefined && fitsOwn(pattern, call));
};

/** How a hook ends that its `if` keeps from the event. */
export const conditionMismatch = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration: 0,
  skipped: 'condition-mismatch',
});

/** What is to be said of an `if` before any call. */
export const conditionNotices = (hook: HookConfig, hasTool: boolean): readonly Notice[] => {
  if (hook.if === undefined || originOf(hook)?.dialect !== undefined) return [];
  if (!hasTool) return [notice('no-effect', 'its event is not about a tool, so its `if` is ignored')];
  const unread = whyNoCondition(hook.if);
  if (unread === undefined) return [];
  const runs = isGuardEntry({ ...hook }) ? 'the guard runs for every call' : 'the hook runs for no call';
  return [notice('invalid-condition', `its \`if\` cannot be read (${unread}): ${runs}`, { fix: CONDITION_HINT })];
};

/** Our own hooks name the tools of their host: what a call is about is found by the members of its input. */
const fitsOwn = ({ tool, about }: CallPattern, call: ConditionCall): boolean => {
  if (!isOfTool(tool, call.tool) && !fitsWildcards(tool, call.tool)) return false;
  if (about === undefined) return true;
  const { input } = call;
  const judges = subjects.filter(({ members }) => members.some((member) => input[member] !== undefined));
  return judges.length === 0 || judges.some(({ fits }) => fits(about, call));
};

/** The same as Claude Code decides it, by the names of its tools. Where that cannot be told it fits: a run more is no harm. */
export const fitsCondition = (condition: string, call: ConditionCall): boolean => {
  const pattern = readCallPattern(condition);
  if (pattern === undefined) return true;
  const { tool, about } = pattern;
  if (!isOfTool(tool, call.tool)) return false;
  const fits = byTool[tool];
  return about === undefined || fits === undefined || fits(about, call);
};

/** A pattern about editing is about every tool that edits, and so with reading. */
const families: Readonly<Record<string, readonly string[]>> = {
  Edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  Read: ['Read', 'Grep', 'Glob', 'LS'],
};

/** Two pointers, no regular expression: the time it takes must not depend on who wrote the pattern. */
const fitsWildcards = (pattern: string, text: string): boolean => {
  let [at, star, mark] = [0, -1, 0];
  let index = 0;
  while (index < text.length) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at;
      mark = index;
      at += 1;
    } else if (at < pattern.length && pattern[at] === text[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
};

const isOfTool = (tool: string, name: string): boolean => {
  if (families[tool]?.includes(name) === true) return true;
  if (!tool.startsWith('mcp__')) return tool === name || (tool === 'Task' && name === 'Agent');
  return fitsWildcards(tool, name) || name.startsWith(`${tool}__`);
};

const fitsCommand = (pattern: string, command: string): boolean => {
  const prefix = pattern.endsWith(':*') ? pattern.slice(0, -2) : undefined;
  if (prefix !== undefined) return command === prefix || command.startsWith(`${prefix} `);
  // What follows a command name and a space may be left out.
  return fitsWildcards(pattern, command) || (pattern.endsWith(' *') && command === pattern.slice(0, -2));
};

/** Beyond the name of a command, what is filled in later may be what the pattern means. */
const isSpecific = (pattern: string): boolean => /\s+[^\s*]/.test(pattern.replace(/:\*$/, ''));

const firstText = (input: Json, members: readonly string[]): string | undefined =>
  members.map((member) => textOf(input[member])).find((text) => text !== undefined);

type Fits = (about: string, call: ConditionCall) => boolean;

const commandMembers = ['command', 'cmd'];

const ofLine: Fits = (pattern, { input }) => {
  const line = firstText(input, commandMembers);
  if (line === undefined) return true;
  if (isSpecific(pattern) && /\$\(|`|\$\w|\$\{/.test(line)) return true;
  const commands = commandsIn(line);
  return commands === undefined || commands.some((one) => fitsCommand(pattern, one));
};

const anchored = (pattern: string, cwd: string, projectDir: string): string => {
  if (pattern.startsWith('//')) return pattern.slice(1);
  if (pattern.startsWith('~/')) return join(homeDirectory(), pattern.slice(2));
  if (pattern.startsWith('/')) return join(projectDir, pattern);
  const below = pattern.replace(/^\.\//, '');
  if (below.startsWith('**/')) return `/${below}`;
  return join(cwd, below.includes('/') ? below : `**/${below}`);
};

const slashed = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

const pathMembers = ['file_path', 'notebook_path', 'path', 'absolute_path', 'filePath'];

const ofPath: Fits = (pattern, { input, cwd, projectDir }) => {
  const path = firstText(input, pathMembers);
  if (path === undefined) return true;
  const glob = anchored(pattern, cwd, projectDir);
  const full = path.startsWith('~/') ? join(homeDirectory(), path.slice(2)) : resolve(cwd, path);
  return fitsPathGlob(slashed(glob), slashed(full));
};

const ofUrl: Fits = (pattern, { input: { url } }) => {
  const address = textOf(url) ?? '';
  if (!URL.canParse(address)) return true;
  const host = /^domain:(.+)$/.exec(pattern)?.[1];
  if (host === undefined) return fitsWildcards(pattern, address);
  const { hostname } = new URL(address);
  return hostname === host || hostname.endsWith(`.${host}`) || fitsWildcards(host, hostname);
};

const ofAgent: Fits = (pattern, { input: { subagent_type: type } }) => textOf(type) === undefined || type === pattern;

const byTool: Readonly<Record<string, Fits>> = {
  Bash: ofLine,
  Edit: ofPath,
  Write: ofPath,
  Read: ofPath,
  WebFetch: (about, call) => !about.startsWith('domain:') || ofUrl(about, call),
  Agent: ofAgent,
  Task: ofAgent,
};

/** By which members of its input a call says what it is about. */
const subjects: readonly { readonly members: readonly string[]; readonly fits: Fits }[] = [
  { members: commandMembers, fits: ofLine },
  { members: pathMembers, fits: ofPath },
  { members: ['url'], fits: ofUrl },
  { members: ['subagent_type'], fits: ofAgent },
];
