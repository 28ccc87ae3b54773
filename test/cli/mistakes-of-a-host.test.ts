/** Mistakes of a reader who connects an agent: in its code, in abilities, and in files of another agent. The first command names the cause, and a fix that works. */
import { describe, expect, test } from 'vitest';
import {
  checkMistake,
  DENIAL,
  DOCTOR,
  type Files,
  group,
  guard,
  LIST,
  type Mistake,
  SH,
  TRUST,
  USER,
} from './support/mistake.ts';

const agent = (text: string): Files => ({
  'agent.mjs': `import { createHooks, defineHook, formatProblem } from 'hookwright';
${text}
for (const problem of hooks.problems) console.warn(formatProblem(problem));
const { output, blocked } = await hooks.callTool('Bash', { command: 'rm -rf /' }, async () => 'it ran');
console.log(blocked ? 'blocked: ' + blocked.reason : output);
`,
});

const returning = (answer: string): Files =>
  agent(`const noRm = defineHook({ event: 'BeforeTool', name: 'no-rm', run: () => (${answer}) });
const hooks = await createHooks({ hooks: [noRm] });`);

const cursor = (hooks: object, more: Files = {}): Files => ({
  '.cursor/hooks.json': JSON.stringify({ version: 1, hooks }),
  '.cursor/no-rm.sh': SH,
  ...more,
});

const DEPLOY = `hookwright ability run deploy --input '{"target": "production"}'`;

/** A guard of an ability: what its script says, and the lines of its file that say for which calls it is. */
const ability = (text: string, scope = 'match:\n  ability_scope: deploy'): Files => ({
  '.system/abilities/deploy.yaml': `id: deploy\nsummary: Deploys\nhandler:\n  kind: script\n  command: echo deployed\n`,
  '.system/hooks/people.yaml': `id: people
event_type: PreAbilityCall
enabled: true
blocking: true
on_fault: fail
${scope}
handler:
  kind: script
  command: .system/people.sh
`,
  '.system/people.sh': `#!/bin/sh\n${text}\n`,
});

const REFUSE = `echo '{"hook_signals":[{"kind":"ability_guard","code":"ABILITY_DENIED","payload":{"reason":"people only"}}]}'`;

const mistakes: readonly Mistake[] = [
  [
    'hooks of Cursor in the form of Claude Code',
    cursor({ PreToolUse: [group({ type: 'command', command: './.cursor/no-rm.sh' }, 'Bash')] }),
    LIST,
    [/did you mean "preToolUse"/, /write its hooks one by one, each with the matcher/],
    cursor({ preToolUse: [{ command: './.cursor/no-rm.sh', matcher: 'Shell' }] }),
    'true',
    /preToolUse \S+no-rm\.sh Shell project/,
  ],
  [
    'a function that returns false',
    returning('false'),
    'node agent.mjs',
    [/BeforeTool hook "no-rm" failed .*got false/, /To deny, return \{ decision: 'deny', reason: '…' \}/],
    returning(DENIAL),
    'true',
    /blocked: no rm -rf/,
  ],
  [
    'createHooks without await',
    agent('const hooks = createHooks();'),
    'node agent.mjs',
    [/createHooks returns a promise, which has no "problems"; write await createHooks\(…\)/],
    agent('const hooks = await createHooks();'),
    'true',
    /it ran/,
  ],
  [
    'createHooks without load',
    { ...guard(), ...agent('const hooks = await createHooks();') },
    'node agent.mjs',
    [/createHooks did not read these settings, so none of their hooks runs; write createHooks\(\{ load: true \}\)/],
    { ...guard(), ...agent('const hooks = await createHooks({ load: true });') },
    TRUST,
    /blocked: no rm -rf/,
  ],
  [
    'a required name with a typing mistake',
    {
      ...guard(),
      ...agent('const hooks = await createHooks({ load: true });'),
      [USER]: JSON.stringify({ required: ['no-rn'] }),
    },
    'node agent.mjs',
    // Before the message stand the file and the line that threw: a line of code is short.
    [
      /^.{0,700} HookwrightError: Required guard "no-rn" is missing.*did you mean "no-rm"\?/,
      /required in \S+settings\.json:1\)/,
    ],
    {
      ...guard(),
      ...agent('const hooks = await createHooks({ load: true });'),
      [USER]: JSON.stringify({ required: ['no-rm'] }),
    },
    TRUST,
    /blocked: no rm -rf/,
  ],
  [
    'a required name with a typing mistake, seen by doctor',
    { ...guard(), [USER]: JSON.stringify({ required: ['no-rn'] }) },
    DOCTOR,
    [/error no-rn ~\/\.hookwright\/settings\.json:1 /, /did you mean "no-rm"/],
    { ...guard(), [USER]: JSON.stringify({ required: ['no-rm'] }) },
  ],
  [
    'a guard of abilities that answers like a hook',
    ability(`echo '{"decision": "deny", "reason": "people only"}'`),
    DEPLOY,
    [
      /^(?!(.*hook_signals"){2}).*in the list hook_signals: \{"hook_signals":\[\{"kind":"ability_guard","code":"ABILITY_DENIED",/,
    ],
    ability(REFUSE),
    TRUST,
    /not run: ABILITY_DENIED people only/,
  ],
  [
    'an ability_scope beside match, seen by trust',
    ability(REFUSE, 'ability_scope: deploy'),
    TRUST,
    [/mind the key "ability_scope" is unknown and has no effect; put it below match:/],
    ability(REFUSE),
    'true',
  ],
  [
    'an ability_scope beside match, seen by the call',
    ability(REFUSE, 'ability_scope: deploy'),
    DEPLOY,
    [/warning \.system\/hooks\/people\.yaml:6:1 the key "ability_scope" is unknown .* put it below match:/],
    ability(REFUSE),
    TRUST,
    /not run: ABILITY_DENIED people only/,
  ],
];

test('R1640 each has a name of its own', () => {
  expect(new Set(mistakes.map(([title]) => title)).size).toBe(mistakes.length);
});

describe('the first command names the cause and a fix that works', () => {
  test.concurrent.each(mistakes.map((one) => [one[0], one] as const))(
    'R1640 of a reader who connects an agent: %s',
    { timeout: 60_000 },
    async (_title, one) => checkMistake(one),
  );
});
