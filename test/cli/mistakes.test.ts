/** Mistakes of people who write hooks: the first command they would try names the cause, and a fix that works. */
import { describe, expect, test } from 'vitest';
import {
  at,
  before,
  checkMistake,
  DENY,
  DOCTOR,
  denies,
  EXPLAIN,
  type Files,
  file,
  group,
  LIST,
  type Mistake,
  prints,
  RUN,
  SETTINGS,
  script,
  TRUST,
  yes,
} from './support/mistake.ts';

/** What reviewers of hook files met most often. */
const typical: readonly Mistake[] = [
  [
    'an event with a typing mistake',
    at('BeforeToll', yes),
    LIST,
    [/BeforeToll is not an event; did you mean "BeforeTool"/],
    before(yes),
  ],
  ['an event in lower case', at('beforeTool', yes), EXPLAIN, [/unknown-event/, /rename it to BeforeTool/], before(yes)],
  [
    'the event name of another agent',
    at('PreToolUse', yes, 'Bash'),
    RUN,
    [/other agents use that name for BeforeTool/, /rename it to BeforeTool/],
    before(yes, 'Bash'),
  ],
  [
    'events outside of "hooks"',
    { [SETTINGS]: '{"BeforeTool": [{"hooks": [{"command": "true"}]}]}' },
    RUN,
    [/BeforeTool is unknown; put it into "hooks"/],
    before(yes),
  ],
  [
    'a matcher with a list of names',
    before(yes, 'Bash, Write'),
    EXPLAIN,
    [/no tool has such a name/, /write "matcher": "Bash\|Write"/],
    before(yes, 'Bash|Write'),
  ],
  [
    'a matcher that is a JSON list',
    before(yes, ['Bash', 'Write']),
    RUN,
    [/matcher must be a string/, /write "Bash\|Write"/],
    before(yes, 'Bash|Write'),
  ],
  [
    'a matcher with an asterisk in front',
    before(yes, '*Edit'),
    LIST,
    [/not a valid regular expression/, /"\.\*Edit"/],
    before(yes, '.*Edit'),
  ],
  [
    'a matcher that does not close a bracket',
    before(yes, 'Bash('),
    RUN,
    [/Unterminated group/, /put a backslash before a character/],
    before(yes, 'Bash'),
  ],
  [
    'a permission as a matcher',
    before(yes, 'Bash(git push:*)'),
    RUN,
    [/no tool has such a name/, /"matcher": "Bash", and in the hook "if": "Bash\(git push \*\)"/],
    before({ ...yes, if: 'Bash(git push *)' }, 'Bash'),
  ],
  ...[EXPLAIN, DOCTOR].map(
    (command): Mistake => [
      `a permission as a matcher, seen by ${command}`,
      before(yes, 'Bash(rm *)'),
      command,
      [/write "matcher": "Bash", and in the hook "if": "Bash\(rm \*\)" /],
      before({ ...yes, if: 'Bash(rm *)' }, 'Bash'),
    ],
  ),
  [
    'a matcher in another case',
    before(yes, 'BASH'),
    EXPLAIN,
    [/"Bash" does not match/, /write Bash/],
    before(yes, 'Bash'),
  ],
  [
    'a timeout in seconds',
    before({ ...yes, timeout: 5 }),
    LIST,
    [/only 5 milliseconds/, /for seconds write 5000/],
    before({ ...yes, timeout: 5000 }),
  ],
  [
    'a timeout in words',
    before({ ...yes, timeout: '5 seconds' }),
    RUN,
    [/must be milliseconds, found "5 seconds"; write 5000/],
    before({ ...yes, timeout: 5000 }),
  ],
  [
    'a timeout below zero',
    before({ ...yes, timeout: -1 }),
    DOCTOR,
    [/must be more than 0 milliseconds/, /such as 5000/],
    before({ ...yes, timeout: 5000 }),
  ],
  [
    'a script that is not there',
    script(DENY, './chek.sh'),
    RUN,
    [/\.\/chek\.sh does not exist/, /correct the command/],
    script(DENY),
  ],
  [
    'a script that is not executable',
    { ...before({ command: './check.sh' }), 'check.sh': '' },
    RUN,
    [/no execute permission/, /chmod \+x \.\/check\.sh/],
    script(DENY),
    `chmod -x check.sh 2> /dev/null; ${TRUST}`,
  ],
  [
    'a script with Windows line endings',
    script(DENY.replaceAll('\n', '\r\n')),
    RUN,
    [/Windows line endings/, /sed -i/],
    script(DENY),
  ],
  [
    'a path with backslashes',
    { ...before({ command: 'hooks\\check.sh' }), 'hooks/check.sh': DENY },
    DOCTOR,
    [/written with backslashes/, /write "command": "\.\/hooks\/check\.sh"/],
    { ...before({ command: './hooks/check.sh' }), 'hooks/check.sh': DENY },
  ],
  [
    'a path with blanks and no quotes',
    { ...before({ command: './my hooks/check.sh' }), 'my hooks/check.sh': DENY },
    RUN,
    [/a path with blanks needs quotes/, /write "command": "'\.\/my hooks\/check\.sh'"/],
    { ...before({ command: "'./my hooks/check.sh'" }), 'my hooks/check.sh': DENY },
  ],
  [
    'exit code 1 to refuse',
    script('#!/bin/sh\necho "no rm here" >&2\nexit 1\n'),
    RUN,
    [
      /failed \(exit code 1\), so the call goes ahead/,
      /does not block: to deny, print the reason to stderr and exit with 2/,
    ],
    script('#!/bin/sh\necho "no rm here" >&2\nexit 2\n'),
  ],
  [
    'an answer with single quotes',
    prints("{'decision': 'deny'}"),
    RUN,
    [/a name in double quotes was expected at character 2/, /json\.dumps/],
    denies,
  ],
  [
    'an unknown word as the decision',
    prints('{"decision": "denied"}'),
    RUN,
    [/expected "allow", "approve", "ask", "deny", "block", found "denied"/],
    denies,
  ],
  [
    'a misspelt field in the answer',
    prints('{"descision": "deny"}'),
    RUN,
    [/descision: did you mean "decision"/],
    denies,
  ],
  [
    'text around the answer',
    prints('checking\n{"decision": "deny", "reason": "no"}'),
    RUN,
    [/text beside the JSON document/, /print it to stderr/],
    denies,
  ],
  [
    'a word in place of an answer',
    prints('deny'),
    RUN,
    [/a word alone is a message, not a verdict: print \{"decision": "deny"/],
    denies,
  ],
  [
    'a reason on stderr with exit code 0',
    script('#!/bin/sh\necho "not allowed" >&2\n'),
    RUN,
    [/stderr decides nothing with exit code 0/, /exit with 2/],
    script('#!/bin/sh\necho "not allowed" >&2\nexit 2\n'),
  ],
  [
    'a hook that is not approved',
    before({ command: 'exit 2' }),
    RUN,
    [/waits for an approval/, /hookwright trust/],
    before({ command: 'exit 2' }),
    ':',
  ],
  [
    'a hook that is switched off by name',
    file({ BeforeTool: [group({ name: 'guard', ...yes })] }, { hooksConfig: { disabled: ['guard'] } }),
    RUN,
    [/guard did not run: disabled/, /hookwright enable "guard"/],
    before({ name: 'guard', ...yes }),
  ],
  [
    'a hook without the list around it',
    file({ BeforeTool: [{ matcher: 'Bash', ...yes }] }),
    RUN,
    [/hooks must be an array of hooks/, /wrap it: \{"hooks": \[ … \]\}/],
    before(yes, 'Bash'),
  ],
  [
    'a group without the list around it',
    file({ BeforeTool: group(yes) }),
    RUN,
    [/must be an array of definitions, found an object/, /put it into a list/],
    before(yes),
  ],
  [
    'a type that does not exist',
    before({ type: 'shell', ...yes }),
    LIST,
    [/type must be one of command/, /did you mean "command"/],
    before({ type: 'command', ...yes }),
  ],
  [
    'a bracket too many',
    { [SETTINGS]: '{ "hooks": { "BeforeTool": [ { "hooks": [ { "command": "true" } ] ] } }' },
    LIST,
    [/a closing brace \} is missing before this/],
    before(yes),
  ],
  [
    'another name for the file',
    { '.hookwright/hooks.json': JSON.stringify({ hooks: {} }) },
    LIST,
    [/nothing reads/, /did you mean "settings\.json"/],
    before(yes),
  ],
];

const CLAUDE = '.claude/settings.json';
const claude = (hook: object, matcher: string): Files => ({
  [CLAUDE]: JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', ...hook }] }] } }),
});
const EXTENSION = '~/.hookwright/extensions/mine';
const ofExtension = (path: string): Files => ({
  [`${EXTENSION}/${path}`]: JSON.stringify({ hooks: { BeforeTool: [group(yes)] } }),
});

/** What a reader met who knew the pages alone, in files of other agents and beside the settings. */
const besides: readonly Mistake[] = [
  [
    'a permission as a matcher, which validate reports once',
    before(yes, 'Bash(rm *)'),
    'hookwright validate',
    [/write "matcher": "Bash", and in the hook "if": "Bash\(rm \*\)".* 1 hook, 1 problem/],
    before({ ...yes, if: 'Bash(rm *)' }, 'Bash'),
  ],
  [
    'a permission as a matcher in the settings of Claude Code',
    claude(yes, 'Bash(git push:*)'),
    'hookwright explain PreToolUse --tool Bash',
    [/no tool has such a name/, /write "matcher": "Bash", and in the hook "if": "Bash\(git push \*\)"/],
    claude({ ...yes, if: 'Bash(git push *)' }, 'Bash'),
  ],
  [
    'milliseconds where Claude Code counts seconds',
    claude({ ...yes, timeout: 30_000 }, 'Bash'),
    DOCTOR,
    [/its timeout is 500 minutes/, /milliseconds were meant, 30/],
    claude({ ...yes, timeout: 30 }, 'Bash'),
  ],
  [
    'hooks of an extension beside its folder',
    ofExtension('hooks.json'),
    LIST,
    [/a file that nothing reads/, /move it to hooks\/hooks\.json/],
    ofExtension('hooks/hooks.json'),
  ],
  [
    'a test that is not called one',
    { ...before(yes), '.hookwright/tests/mine.json': '{"event": "BeforeTool", "expect": {"verdict": "none"}}' },
    'hookwright test',
    [/mine\.json is not read: name it mine\.test\.json/],
    { ...before(yes), '.hookwright/tests/mine.test.json': '{"event": "BeforeTool", "expect": {"verdict": "none"}}' },
  ],
  [
    'a path with backslashes in JSON',
    { [SETTINGS]: String.raw`{"hooks": {"BeforeTool": [{"hooks": [{"command": ".\hooks\no-rm.sh"}]}]}}` },
    LIST,
    [/this escape is unknown; write .* and \/ in a path/],
    before({ command: './hooks/no-rm.sh' }),
  ],
  [
    'settings above a repository',
    { '../.hookwright/settings.json': before(yes)[SETTINGS] ?? '', '.git/HEAD': '' },
    RUN,
    [/\.hookwright\/settings\.json lies above this repository: of its hooks only approved guards/],
    before(yes),
  ],
  [
    'settings that are a link',
    { 'elsewhere.txt': '' },
    RUN,
    [/put the file itself there, not a link/],
    {},
    `mkdir ../dotfiles; echo '{"hooks": {"BeforeTool": [{"hooks": [{"command": "true"}]}]}}' > ../dotfiles/settings.json; ln -s ../dotfiles .hookwright; git init -q`,
  ],
];

test('R1640 there are thirty-four typical mistakes', () => {
  expect(typical).toHaveLength(34);
});

type Handlers = readonly (readonly [matcher: string | undefined, command: string, timeout: number])[];
type Shape = (event: string, handlers: Handlers) => object;

const groups: Shape = (event, handlers) => ({
  [event]: handlers.map(([matcher, command, timeout]) => ({ matcher, hooks: [{ type: 'command', command, timeout }] })),
});
const nested: Shape = (event, handlers) => ({ hooks: groups(event, handlers) });
const switchedOn: Shape = (event, handlers) => ({ hooksConfig: { enabled: true }, ...nested(event, handlers) });
const named: Shape = (event, handlers) => ({ guard: groups(event, handlers) });
const flat: Shape = (event, handlers) => ({
  version: 1,
  hooks: { [event]: handlers.map(([matcher, command, timeout]) => ({ type: 'command', matcher, command, timeout })) },
});
const bash: Shape = (event, handlers) => ({
  version: 1,
  hooks: {
    [event]: handlers.map(([matcher, line, limit]) => ({ type: 'command', matcher, bash: line, timeoutSec: limit })),
  },
});

/** An agent, its file, its event before a tool, its shell tool, how many of its units are a second, and how it reads `tool(git)`. */
const agents: readonly (readonly [string, string, string, string, number, Shape, (RegExp | undefined)?])[] = [
  ['claude-code', CLAUDE, 'PreToolUse', 'Bash', 1, nested],
  ['codex', '.codex/hooks.json', 'PreToolUse', 'Bash', 1, nested],
  ['gemini', '.gemini/settings.json', 'BeforeTool', 'run_shell_command', 1_000, nested],
  ['cursor', '.cursor/hooks.json', 'preToolUse', 'Shell', 1, flat],
  ['copilot', '.github/hooks/hooks.json', 'preToolUse', 'bash', 1, bash],
  ['qwen-code', '.qwen/settings.json', 'PreToolUse', 'run_shell_command', 1_000, nested],
  ['vscode', '.github/hooks/hooks.json', 'PreToolUse', '', 1, nested, /ignores the matcher "\(git\)".* → take it away/],
  ['llxprt', '.llxprt/settings.json', 'BeforeTool', 'run_shell_command', 1_000, switchedOn],
  ['antigravity', '.agents/hooks.json', 'PreToolUse', 'run_command', 1, named],
];

/** A good guard, a guard that never runs, and one that may take a day. */
const ofAgents = agents.map(([agent, path, event, tool, second, shape, ignored]): Mistake => {
  const good = tool === '' ? undefined : tool;
  const contents = (never: string | undefined, limit: number): Files => ({
    'guard.sh': DENY,
    [path]: JSON.stringify(
      shape(event, [
        [good, './guard.sh', 10 * second],
        [never, './guard.sh --never', 10 * second],
        [good, './guard.sh --slow', limit * second],
      ]),
      undefined,
      2,
    ),
  });
  const never = new RegExp(
    `${path}:\\d+:\\d+ \\S+ "${tool}\\(git\\)" is read as one pattern, and no tool has such a name.* → write "matcher": "${tool}"`,
  );
  return [
    agent,
    contents(`${tool}(git)`, 86_400),
    `hookwright doctor --agent ${agent}`,
    [
      ignored ?? never,
      new RegExp(`guard.sh --slow ${path}:\\d+ .*its timeout is 1440 minutes.* → write a smaller number`),
    ],
    contents(good, 10),
    TRUST,
    /3 hooks looked at/,
  ];
});

describe('the first command names the cause and a fix that works', () => {
  test.concurrent.each(besides.map((one) => [one[0], one] as const))(
    'R1741 besides: %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
  test.concurrent.each(ofAgents.map((one) => [one[0], one] as const))(
    'R1744 a guard that never runs and one that takes a day, in the settings of %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
  test.concurrent.each(typical.map((one) => [one[0], one] as const))(
    'R1640 %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
});
