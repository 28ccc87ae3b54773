/** What `new --forbid` makes: a rule in the settings and its test, and no script. */
import { join } from 'node:path';
import type { HookEventName } from '../../events/index.ts';
import { visibleJson } from '../../kit/index.ts';
import { readCallPattern } from '../../protocol/index.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { WritableScope } from '../settings-edit/settings-files.ts';
import type { HookPlan } from './plan.ts';

export interface RuleWish {
  readonly name: string;
  readonly eventName: HookEventName;
  readonly matcher: string | undefined;
  /** What is forbidden: a pattern of calls, or the text of a command. */
  readonly forbid: string;
  /** Where `.hookwright` is. */
  readonly directory: string;
  readonly scope: WritableScope;
}

/** What well-known agents call the tool that runs commands. */
const SHELLS = '^(Bash|run_shell_command|[Ss]hell|bash|local_shell|run_terminal_command)$';

/** `git push.*--force` is how most people write it; everything else of a regular expression has no meaning here. */
const commandPattern = (text: string): string => {
  const pattern = text.trim().replaceAll('.*', '*');
  const strange = /[\\^$+?[\]{}|()]/.exec(pattern)?.[0];
  if (strange === undefined && pattern.replaceAll('*', '').trim() !== '') return pattern;
  throw new UsageError(
    `--forbid cannot be read: ${strange === undefined ? 'it has no text' : `"${strange}" has no meaning in it`}`,
    `write the text of a command, with * for anything: 'git push*--force'; or a call: 'Bash(git push --force*)'`,
  );
};

const isPlainName = (matcher: string): boolean => /^[\w-]+$/.test(matcher);

const wordsOf = (matcher: string): readonly string[] => {
  const words = matcher.split('|').map((word) => word.trim().replace(/^\^/, '').replace(/\$$/, ''));
  if (words.every(isPlainName)) return words;
  throw new UsageError(
    `--forbid needs the names of tools, and ${JSON.stringify(matcher)} is a pattern of them`,
    `--matcher 'Bash|run_shell_command', or name the tool in --forbid: 'Bash(git push --force*)'`,
  );
};

interface Forbidden {
  readonly matcher: string | undefined;
  readonly patterns: readonly string[];
  readonly tool: string;
  /** What such a call is about, in words. */
  readonly what: string;
  /** The arguments of a call that is refused. */
  readonly input: Readonly<Record<string, string>>;
}

const forbiddenBy = ({ forbid, matcher }: RuleWish): Forbidden => {
  const call = /\(/.test(forbid) ? readCallPattern(forbid) : undefined;
  if (call?.about !== undefined) {
    const what = exampleOf(call.about);
    return {
      matcher,
      patterns: [forbid.trim()],
      tool: call.tool.replaceAll('*', ''),
      what,
      input: inputFor(call.about, what),
    };
  }
  const pattern = commandPattern(forbid);
  const wide = `*${pattern}*`.replace(/\*+/g, '*');
  const what = exampleOf(pattern);
  const input = { command: what };
  // A matcher that names the shells of all agents lets one pattern do.
  if (matcher === undefined) return { matcher: SHELLS, patterns: [`*(${wide})`], tool: 'Bash', what, input };
  const tools = wordsOf(matcher);
  return { matcher, patterns: tools.map((tool) => `${tool}(${wide})`), tool: tools[0] ?? 'Bash', what, input };
};

/** A path, an address or a command: what a pattern is about shows in its form. */
const inputFor = (about: string, what: string): Forbidden['input'] => {
  if (about.startsWith('domain:')) return { url: `https://${what.replace('domain:', '').trim()}/` };
  if (/^[a-z]+:\/\//.test(about)) return { url: what };
  return /^[~./]|^[^\s]*\/|^\S*\.\w+$/.test(about) ? { file_path: what.replace(/^\/(?!\/)/, '') } : { command: what };
};

const exampleOf = (pattern: string): string =>
  pattern.includes('/')
    ? pattern.replace(/\*+/g, 'x')
    : pattern.replace(/:\*$/, '').replaceAll('*', ' ').replace(/\s+/g, ' ').trim();

/** A rule that refuses, its test, and the call by which it is seen to be alive. */
export const planRule = (wish: RuleWish): HookPlan => {
  const { name, eventName, directory, scope } = wish;
  const { matcher, patterns, tool, what, input } = forbiddenBy(wish);
  const [only = ''] = patterns;
  const reason = `${name}: ${what} is not allowed here`;
  const folder = join(directory, '.hookwright');
  const test =
    scope === 'user' ? join(folder, 'hooks', `${name}.test.json`) : join(folder, 'tests', `${name}.test.json`);
  const tests = [
    {
      name: `refuses ${what}`,
      payload: { tool_input: input },
      expect: { verdict: 'deny', reason },
    },
    {
      name: 'has no opinion about anything else',
      payload: { tool_input: { command: 'ls' } },
      expect: { verdict: 'none' },
    },
  ];
  const file = { event: eventName, only: [name], payload: { tool_name: tool }, tests };
  const condition = patterns.length === 1 ? only : [...patterns];
  return {
    files: [{ path: test, text: `${visibleJson(JSON.stringify(file, null, 2))}\n`, mode: 0o644 }],
    definition: {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [
        { type: 'rule', name, if: condition, verdict: 'deny', reason, canary: { tool_name: tool, tool_input: input } },
      ],
    },
  };
};
