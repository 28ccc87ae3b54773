import { isAbsolute, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { textOf } from '../../../../kit/index.ts';
import { homeDirectory } from '../../../../kit/node.ts';
import type { Call, Json } from '../../../dialect.ts';
import { commandsIn } from './commands.ts';

/** One permission rule, such as `Bash(git *)`. */
interface Rule {
  readonly tool: string;
  readonly pattern: string | undefined;
}

const ruleIn = (condition: string): Rule | undefined => {
  const [, tool, pattern] = /^([A-Za-z][\w*-]*)(?:\(([\s\S]*)\))?$/.exec(condition.trim()) ?? [];
  return tool === undefined ? undefined : { tool, pattern: pattern === '' || pattern === '*' ? undefined : pattern };
};

/** A rule about editing is about every tool that edits, and so with reading. */
const families: Readonly<Record<string, readonly string[]>> = {
  Edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  Read: ['Read', 'Grep', 'Glob', 'LS'],
};

/** Two pointers, no regular expression: a pattern of a file must not hold anybody up. */
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

const isOfTool = ({ tool }: Rule, name: string): boolean => {
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

const ofLine = (pattern: string, { command }: Json): boolean => {
  const line = textOf(command);
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

const ofPath = (pattern: string, input: Json, { input: { cwd }, projectDir }: Call): boolean => {
  const path = textOf(input.file_path) ?? textOf(input.notebook_path) ?? textOf(input.path);
  if (path === undefined) return true;
  const from = textOf(cwd) ?? projectDir;
  const glob = anchored(pattern, from, projectDir);
  const full = isAbsolute(path) ? path : resolve(from, path);
  return picomatch([glob, `${glob}/**`], { dot: true })(full);
};

const ofHost = (pattern: string, { url }: Json): boolean => {
  const host = /^domain:(.+)$/.exec(pattern)?.[1];
  const address = textOf(url) ?? '';
  const asked = URL.canParse(address) ? new URL(address).hostname : undefined;
  if (host === undefined || asked === undefined) return true;
  return asked === host || asked.endsWith(`.${host}`) || fitsWildcards(host, asked);
};

const ofAgent = (pattern: string, { subagent_type: type }: Json): boolean =>
  textOf(type) === undefined || type === pattern;

const judges: Readonly<Record<string, (pattern: string, input: Json, call: Call) => boolean>> = {
  Bash: ofLine,
  Edit: ofPath,
  Write: ofPath,
  Read: ofPath,
  WebFetch: ofHost,
  Agent: ofAgent,
  Task: ofAgent,
};

export const isCondition = (condition: string): boolean => ruleIn(condition) !== undefined;

/** Whether a call is one that a rule names. Where that cannot be told it is: a guard more is no harm. */
export const fitsCondition = (condition: string, call: Call): boolean => {
  const rule = ruleIn(condition);
  const { tool } = call;
  if (rule === undefined || tool === undefined) return true;
  if (!isOfTool(rule, tool.name)) return false;
  const judge = judges[rule.tool];
  return rule.pattern === undefined || judge === undefined || judge(rule.pattern, tool.input, call);
};
