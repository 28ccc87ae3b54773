/** Mistakes of a reader who had the documentation and not the source, in settings and scripts: the first command names the cause, and a fix that works. */
import { describe, expect, test } from 'vitest';
import {
  checkMistake,
  DENIAL,
  DOCTOR,
  type Files,
  fields,
  file,
  group,
  guard,
  LIST,
  type Mistake,
  RUN,
  SETTINGS,
  SH,
  TRUST,
  USER,
} from './support/mistake.ts';

const CALL = `${RUN} --input '{"tool_input": {"command": "rm -rf /"}}'`;
const DENIED = /BeforeTool Bash: deny: no rm -rf/;

const python = (text: string, more: object = {}): Files => ({
  ...file(fields({ command: 'python3 no_rm.py', ...more })),
  'no_rm.py': text,
});
const node = (text: string, more: object = {}, path = 'no-rm.mjs'): Files => ({
  ...file(fields({ command: `node ${path}`, ...more })),
  [path]: text,
});
const bash = (text: string, more: object = {}): Files => ({ ...guard(more), 'no-rm.sh': `#!/bin/bash\n${text}` });
const ofUser = (hook: object): Files => ({ [USER]: JSON.stringify({ hooks: fields(hook) }) });
const PYTHON = 'import json, sys\nevent = json.load(sys.stdin)\nif "rm -rf" in event["tool_input"]["command"]:\n';
const NODE = "import { readFileSync } from 'node:fs';\nconst event = JSON.parse(readFileSync(0, 'utf8'));\n";
const UNTIL_THERE = 'until (echo > /dev/tcp/127.0.0.1/18923) 2> /dev/null; do sleep 0.1; done';
const SERVER = `node server.mjs > /dev/null 2>&1 & ${UNTIL_THERE}; ${CALL}`;

/** An endpoint for one answer. */
const server = (status: number, answer: string): string => `import { createServer } from 'node:http';
createServer((request, response) => {
  request.resume().on('end', () => {
    response.statusCode = ${status};
    response.end(${JSON.stringify(answer)}, () => process.exit());
  });
}).listen(18923, '127.0.0.1');
setTimeout(() => process.exit(), 10_000);
`;
const endpoint = { type: 'http', url: 'http://127.0.0.1:18923/check', command: undefined };

const waiting = (call: string): string => `async function readInput() {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return JSON.parse(text);
}
const main = async () => {
  const event = ${call};
  if (event.tool_input?.command?.includes('rm -rf')) console.log(JSON.stringify(${DENIAL}));
};
`;

const worker = (flush: string): string => `import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if "rm -rf" in request["input"]["tool_input"].get("command", ""):
        answer["output"] = {"decision": "deny", "reason": "no rm -rf"}
    print(json.dumps(answer)${flush})
`;

const loop = (from: string, end: string): string => `#!/bin/bash
${from}while read -r line; do
  if [[ "$line" == *"rm -rf"* ]]; then echo "no rm -rf" >&2; exit 2; fi
done${end}
exit 0
`;
const canary = { onFault: 'deny', canary: { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } } };

const LINKED = `mv ${SETTINGS} ~/dotfile.json && ln -s ~/dotfile.json ${SETTINGS}`;

const mistakes: readonly Mistake[] = [
  [
    'a hook directly in its event',
    { ...file({ BeforeTool: [{ matcher: 'Bash', command: './no-rm.sh' }] }), 'no-rm.sh': SH },
    CALL,
    [/hooks must be an array of hooks/, /wrap it: \{"hooks": \[ … \]\}/],
    guard(),
    TRUST,
    DENIED,
  ],
  [
    'an answer in the form of Claude Code is understood',
    bash(`echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no rm -rf"}}'\n`),
    CALL,
    [DENIED],
    {},
  ],
  [
    'the decision denied',
    python(`${PYTHON}    print(json.dumps({"decision": "denied", "reason": "no rm -rf"}))\n`),
    CALL,
    [/expected "allow", "approve", "ask", "deny", "block", found "denied"/],
    python(`${PYTHON}    print(json.dumps({"decision": "deny", "reason": "no rm -rf"}))\n`),
    TRUST,
    DENIED,
  ],
  [
    'sys.exit with a text',
    python(`${PYTHON}    sys.exit("no rm -rf")\n`),
    CALL,
    [/exit code 1 is a failure and does not block/, /print the reason to stderr and exit with 2/],
    python(`${PYTHON}    print("no rm -rf", file=sys.stderr)\n    sys.exit(2)\n`),
    TRUST,
    DENIED,
  ],
  [
    'an object printed without JSON.stringify, after a text for debugging',
    node(`${NODE}console.log('checking', { input: event.tool_input });\nconsole.log(${DENIAL});\n`),
    CALL,
    [/holds decision: deny in text that is not JSON/, /JSON\.stringify\(…\) in JavaScript, and all else to stderr/],
    node(`${NODE}console.error('checking', { input: event.tool_input });\nconsole.log(JSON.stringify(${DENIAL}));\n`),
    TRUST,
    DENIED,
  ],
  [
    'a forgotten await, so that the input is never read',
    node(`${waiting('readInput()')}main();\nprocess.exit(0);\n`, { onFault: 'deny' }),
    CALL,
    [/it printed nothing and ended with exit code 0/, /on stdin it had tool_name, tool_input\.command/],
    node(`${waiting('await readInput()')}await main();\nprocess.exit(0);\n`, { onFault: 'deny' }),
    TRUST,
    DENIED,
  ],
  [
    'a variable in place of stdin',
    bash(`if echo "$CLAUDE_TOOL_INPUT" | grep -q 'rm -rf'; then echo "no rm -rf" >&2; exit 2; fi\n`),
    CALL,
    [/names CLAUDE_TOOL_INPUT and never tool_input/, /read tool_input from the JSON that the hook gets on stdin/],
    guard(),
    TRUST,
    DENIED,
  ],
  [
    'hooks.json for settings.json',
    { '.hookwright/hooks.json': JSON.stringify({ hooks: fields({ command: './no-rm.sh' }) }), 'no-rm.sh': SH },
    LIST,
    [/nothing reads \.hookwright\/hooks\.json/, /did you mean "settings\.json"/],
    guard(),
    TRUST,
    /BeforeTool no-rm Bash project ready/,
  ],
  [
    'settings in UTF-16 are read',
    guard(),
    LIST,
    [/BeforeTool no-rm Bash project/],
    {},
    `iconv -f UTF-8 -t UTF-16 ${SETTINGS} > utf16 && mv utf16 ${SETTINGS}`,
  ],
  [
    'one backslash for a regular expression in JSON',
    guard({}, '\bBash\b'),
    CALL,
    [/in JSON \\b is a control character: write "matcher": "\\\\bBash\\\\b"/],
    guard({}, '\\bBash\\b'),
    TRUST,
    DENIED,
  ],
  [
    'enabled: false in a hook',
    guard({ enabled: false }),
    LIST,
    [/unknown key "enabled"; to switch a hook off: hookwright disable <name>/],
    guard(),
    'true',
  ],
  [
    'a matcher for the text of a prompt',
    file({ BeforeAgent: [group({ name: 'notes', command: 'echo ship' }, 'deploy|release')] }),
    `hookwright run BeforeAgent --input '{"prompt": "fix the readme"}'`,
    [/matcher has no effect: BeforeAgent has nothing to compare it with/, /remove the matcher/],
    file({ BeforeAgent: [group({ name: 'notes', command: 'echo ship' })] }),
  ],
  [
    'a script beside the settings',
    { ...file(fields({ command: './no-rm.sh', onFault: 'deny' })), '.hookwright/no-rm.sh': SH },
    CALL,
    [/a path begins at the working directory/, /write "command": "\$HOOKWRIGHT_PROJECT_DIR\/\.hookwright\/no-rm\.sh"/],
    { ...file(fields({ command: '$HOOKWRIGHT_PROJECT_DIR/.hookwright/no-rm.sh' })), '.hookwright/no-rm.sh': SH },
    TRUST,
    DENIED,
  ],
  [
    'a tilde in args',
    { ...ofUser({ command: 'sh', args: ['~/hooks/no-rm.sh'] }), '~/hooks/no-rm.sh': SH },
    CALL,
    [/so ~ is not replaced/, /write "\$HOME\/hooks\/no-rm\.sh"/],
    { ...ofUser({ command: 'sh', args: ['$HOME/hooks/no-rm.sh'] }), '~/hooks/no-rm.sh': SH },
    'true',
    DENIED,
  ],
  [
    'context at the top of an answer',
    {
      ...file({ SessionStart: [group({ command: './rules.sh' })] }),
      'rules.sh': `#!/bin/sh\necho '{"additionalContext": "tabs"}'\n`,
    },
    'hookwright run SessionStart',
    [/it counts only inside "hookSpecificOutput"/],
    {
      ...file({ SessionStart: [group({ command: './rules.sh' })] }),
      'rules.sh': `#!/bin/sh\necho '{"hookSpecificOutput": {"additionalContext": "tabs"}}'\n`,
    },
    TRUST,
    /context for the model/,
  ],
  [
    'a field of the input in camel case',
    node(`${NODE}if ((event.toolInput?.command ?? '').includes('rm -rf')) console.log(JSON.stringify(${DENIAL}));\n`),
    CALL,
    [/names toolInput and never tool_input/],
    node(`${NODE}if ((event.tool_input?.command ?? '').includes('rm -rf')) console.log(JSON.stringify(${DENIAL}));\n`),
    TRUST,
    DENIED,
  ],
  [
    'status 403 to deny',
    { ...ofUser(endpoint), 'server.mjs': server(403, 'no rm -rf') },
    SERVER,
    [/answered with status 403/, /to deny, answer with status 200 and \{"decision": "deny", "reason": "…"\}/],
    { ...ofUser(endpoint), 'server.mjs': server(200, JSON.stringify({ decision: 'deny', reason: 'no rm -rf' })) },
    'true',
    DENIED,
  ],
  [
    'tee at the end of a pipe',
    guard({ command: './no-rm.sh 2>&1 | tee -a hook.log', onFault: 'deny' }),
    CALL,
    [/ends with the exit code of "tee"/, /write "command": "set -o pipefail; \.\/no-rm\.sh 2>&1 \| tee -a hook\.log"/],
    guard({ command: 'set -o pipefail; ./no-rm.sh 2>&1 | tee -a hook.log', onFault: 'deny' }),
    TRUST,
    DENIED,
  ],
  [
    'a worker that does not flush',
    python(worker(''), { type: 'worker', timeout: '1s' }),
    CALL,
    [/no answer within 1000 ms/, /flush after each answer, as print\(…, flush=True\) in Python does/],
    python(worker(', flush=True'), { type: 'worker' }),
    TRUST,
    DENIED,
  ],
  [
    'code as an if',
    guard({ if: "tool_input.command.includes('rm -rf')" }),
    CALL,
    [/it is a pattern and no code/, /"Bash\(\*rm -rf\*\)"/],
    guard({ if: 'Bash(*rm -rf*)' }),
    TRUST,
    DENIED,
  ],
  [
    'a guard in the background',
    guard({ background: true }),
    CALL,
    [/a hook in the background cannot block/, /remove "background"/],
    guard(),
    TRUST,
    DENIED,
  ],
  [
    'settings that are a link out of the project, seen by trust',
    guard(),
    TRUST,
    [/^(?!.*Nothing here needs).*this file is outside the project, at .* put the file itself there, not a link/],
    guard(),
    LINKED,
    /1 hook, all approved/,
  ],
  [
    'settings that are a link out of the project, seen by doctor',
    guard(),
    DOCTOR,
    [/^(?!.*hookwright trust).*→ put the file itself there, not a link/],
    guard(),
    LINKED,
  ],
  [
    'onFault: block, seen by trust',
    guard({ onFault: 'block' }),
    TRUST,
    [/^(?!.*Nothing here needs).*onFault must be one of allow, deny, ask, found "block"; did you mean "deny"/],
    guard({ onFault: 'deny' }),
    'true',
    /1 hook, all approved/,
  ],
  [
    'a program that is missing in the script',
    bash(`command=$(yq5 -r .tool_input.command)\n[[ "$command" == *"rm -rf"* ]] && exit 2\nexit 0\n`),
    CALL,
    [/went on without a program that is missing: install it, or begin the script with set -e/],
    bash(`set -e\ncommand=$(yq5 -r .tool_input.command)\nexit 0\n`, { onFault: 'deny' }),
    TRUST,
    /BeforeTool Bash: deny/,
  ],
  [
    'require in a project of modules',
    { ...node(`require('fs');\n`, {}, 'no-rm.js'), 'package.json': '{"type": "module"}' },
    CALL,
    [/require is not defined in ES module scope/, /rename it to use the '\.cjs' file extension/],
    {
      ...node(`require('fs');\nconsole.log(JSON.stringify(${DENIAL}));\n`, {}, 'no-rm.cjs'),
      'package.json': '{"type": "module"}',
    },
    TRUST,
    DENIED,
  ],
  [
    'exit in a subshell',
    { ...guard(canary), 'no-rm.sh': loop('(cat; echo) | ', '') },
    TRUST,
    [/lost at the answer: no-rm gave no opinion \(exit code 0, stderr: "no rm -rf"; an exit/, /ends only its subshell/],
    { ...guard(canary), 'no-rm.sh': loop('', ' < <(cat; echo)') },
    'true',
    /1 hook, all approved/,
  ],
  [
    'user settings that all can write',
    { ...ofUser({ command: '$HOME/no-rm.sh' }), '~/no-rm.sh': SH },
    CALL,
    [/can be written by every user; change that with chmod o-w/],
    { ...ofUser({ command: '$HOME/no-rm.sh' }), '~/no-rm.sh': SH },
    'chmod 666 ~/.hookwright/settings.json',
    DENIED,
  ],
  [
    'onFault: block',
    { ...guard({ onFault: 'block' }), 'no-rm.sh': '#!/bin/sh\nexit 1\n' },
    CALL,
    [/onFault must be one of allow, deny, ask, found "block"; did you mean "deny"/],
    { ...guard({ onFault: 'deny' }), 'no-rm.sh': '#!/bin/sh\nexit 1\n' },
    TRUST,
    /BeforeTool Bash: deny/,
  ],
];

/** Found later. */
const more: readonly Mistake[] = [
  [
    'a variable in single quotes',
    guard({ command: "bash '$HOOKWRIGHT_PROJECT_DIR/no-rm.sh'" }),
    CALL,
    [
      /in single quotes a variable is not replaced/,
      /write "command": "bash \\"\$HOOKWRIGHT_PROJECT_DIR\/no-rm\.sh\\""/,
    ],
    guard({ command: 'bash "$HOOKWRIGHT_PROJECT_DIR/no-rm.sh"' }),
    TRUST,
    DENIED,
  ],
  [
    'updated_input for updatedInput',
    bash(`echo '{"hookSpecificOutput": {"updated_input": {"command": "echo safe"}}}'\n`),
    CALL,
    [/updated_input .*unsupported: did you mean "updatedInput"/],
    bash(`echo '{"hookSpecificOutput": {"updatedInput": {"command": "echo safe"}}}'\n`),
    TRUST,
    /BeforeTool Bash: another input/,
  ],
];

test('R1640 each has a name of its own', () => {
  const titles = [...mistakes, ...more].map(([title]) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

describe('the first command names the cause and a fix that works', () => {
  test.concurrent.each([...mistakes, ...more].map((one) => [one[0], one] as const))(
    'R1640 of a reader: %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
});
