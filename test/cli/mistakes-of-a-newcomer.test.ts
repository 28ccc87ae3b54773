/** Mistakes of people who write their first hook: the first command they would try names the cause, and a fix that works. */
import { describe, test } from 'vitest';
import {
  at,
  before,
  checkMistake,
  DENY,
  DOCTOR,
  denies,
  file,
  group,
  LIST,
  type Mistake,
  prints,
  RUN,
  SETTINGS,
  TRUST,
  USER,
  yes,
} from './support/mistake.ts';

/** Of a newcomer who has read one page of the documentation; those of a reader are in mistakes-of-a-reader.test.ts. */
const newcomers: readonly Mistake[] = [
  [
    'a command where the event has its list',
    file({ BeforeTool: './check.sh' }),
    RUN,
    [
      /must be an array of definitions, found "\.\/check\.sh"/,
      /write "BeforeTool": \[\{"hooks": \[\{"command": "\.\/check\.sh"\}\]\}\]/,
    ],
    before(yes),
  ],
  [
    'a command as a list',
    before({ command: ['node', 'check.mjs'] }),
    RUN,
    [/found an array of 2/, /write "command": "node", "args": \["check\.mjs"\]/],
    before({ command: 'true', args: ['check.mjs'] }),
  ],
  ['cmd for command', before({ cmd: 'true' }), LIST, [/unknown key "cmd"; did you mean "command"/], before(yes)],
  [
    'a value that a session never has',
    at('SessionStart', yes, 'strtup'),
    DOCTOR,
    [/matches none of startup, resume/, /write startup/],
    at('SessionStart', yes, 'startup'),
  ],
  [
    'a tool name with a typing mistake',
    before(yes, 'Wrte'),
    DOCTOR,
    [/matches no known tool/, /if Write is meant, write Write/],
    before(yes, 'Write'),
  ],
  [
    'a program that is not installed',
    before({ command: 'none-such check.ts' }),
    RUN,
    [/none-such is in none of the \d+ directories of PATH/, /install the program/],
    before(yes),
  ],
  [
    'a script for an interpreter that is not there',
    before({ command: 'node none.mjs' }),
    DOCTOR,
    [/node runs none\.mjs, which does not exist/, /create the script/],
    { ...before({ command: 'node none.mjs' }), 'none.mjs': '' },
  ],
  [
    'a hook that takes too long',
    before({ command: 'sleep 5', timeout: 300 }),
    RUN,
    [/failed \(timeout\), so the call goes ahead/, /no answer within 300 ms/],
    before({ ...yes, timeout: 3000 }),
  ],
  [
    'a Python script that throws',
    {
      ...before({ command: 'python3 check.py' }),
      'check.py': 'import json, sys\nprint(json.load(sys.stdin)["tool_input"]["cmd"])\n',
    },
    RUN,
    [/File ".*check\.py", line 2/, /KeyError: 'cmd'/],
    { ...before({ command: 'python3 check.py' }), 'check.py': 'print("{}")\n' },
  ],
  [
    'a JavaScript hook that throws',
    {
      ...before({ command: 'node check.mjs' }),
      'check.mjs': 'const input = {};\nconsole.log(input.tool_input.command);\n',
    },
    RUN,
    [/check\.mjs:2/, /Cannot read properties of undefined/, /lines? of the interpreter/],
    { ...before({ command: 'node check.mjs' }), 'check.mjs': '' },
  ],
  [
    'a package that is not installed',
    { ...before({ command: 'node check.mjs' }), 'check.mjs': "import none from 'none-such';\n" },
    RUN,
    [/Cannot find package 'none-such'/],
    { ...before({ command: 'node check.mjs' }), 'check.mjs': '' },
  ],
  [
    'a permission decision at the top',
    prints('{"permissionDecision": "deny"}'),
    RUN,
    [/in the wrong place/, /write "decision"/],
    denies,
  ],
  [
    'an answer that ends too early',
    prints('{"decision": "deny", "reason": "no"'),
    RUN,
    [/malformed-output/, /stdout looks like an answer but/],
    denies,
  ],
  [
    'an http hook without a protocol',
    before({ type: 'http', url: 'localhost:9000' }),
    LIST,
    [/http-error/],
    before(yes),
  ],
  [
    'all hooks switched off in the file',
    file({ BeforeTool: [group(yes)] }, { hooksConfig: { enabled: false } }),
    RUN,
    [/hooks-disabled/, /hooksConfig\.enabled/],
    before(yes),
  ],
  [
    'a hook that changed after its approval',
    before({ command: 'exit 0' }),
    RUN,
    [/changed-since-trusted/, /hookwright trust/],
    before(yes),
    `${TRUST}; sed -i 's/exit 0/exit  0/' ${SETTINGS}`,
  ],
  ['a flag of another command', before(yes), 'hookwright run BeforeTool --tol Bash', [/did you mean "--tool"/], {}],
  ['the command check', before(yes), 'hookwright expalin', [/did you mean "explain"/], {}],
  ['an event of another agent for run', before(yes), 'hookwright run PreToolUse --tool Bash', [/BeforeTool/], {}],
  [
    'a user hook with a relative path',
    {
      [USER]: JSON.stringify({ hooks: { BeforeTool: [group({ command: 'hooks/check.sh' })] } }),
      'hooks/check.sh': DENY,
    },
    DOCTOR,
    [/looked for in the working directory of the agent/, /write its absolute path/],
    { [USER]: JSON.stringify({ hooks: { BeforeTool: [group(yes)] } }) },
  ],
];

describe('the first command names the cause and a fix that works', () => {
  test.concurrent.each(newcomers.map((one) => [one[0], one] as const))(
    'R1640 as a newcomer: %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
});
