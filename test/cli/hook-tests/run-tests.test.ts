import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRunText } from '../../../src/cli/hook-tests/result-lines.ts';
import { runTests } from '../../../src/cli/hook-tests/run-tests.ts';
import { updateTests } from '../../../src/cli/hook-tests/update-tests.ts';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { until } from '../../support/processes.ts';
import { blocks, createProject, failuresIn } from './support.ts';

const guard = { BeforeTool: [{ matcher: 'Bash', hooks: [{ name: 'no-rm', command: './no-rm.sh' }] }] };

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

test('a test goes through the real engine: plan, trust, run and merge', async () => {
  const { script, write, run } = createProject(guard);
  script('no-rm.sh', blocks('rm -rf'));
  write('.hookwright/tests/bash.test.json', {
    event: 'BeforeTool',
    tests: [
      {
        name: 'rm',
        payload: bash('rm -rf /'),
        expect: { verdict: 'deny', reason: 'not allowed', hooks: { 'no-rm': 'deny' } },
      },
      { name: 'ls', payload: bash('ls'), expect: { verdict: 'none', hooks: { 'no-rm': 'silent' } } },
      {
        name: 'other',
        payload: { tool_name: 'Read' },
        expect: { verdict: 'none', hooks: { 'no-rm': 'matcher-mismatch' } },
      },
      { name: 'wrong', payload: bash('ls'), expect: { verdict: 'deny' } },
    ],
  });
  const done = await run();
  expect(done.results).toHaveLength(4);
  expect(failuresIn(done)).toEqual(['wrong: verdict: expected "deny", found "none"']);
});

test('nothing runs that nobody approved, and the test says so', async () => {
  const { cwd, script, write, stage, context } = createProject(guard);
  script('no-rm.sh', '#!/bin/sh\ntouch canary\n');
  write('.hookwright/tests/a.test.json', {
    name: 'ls',
    event: 'BeforeTool',
    payload: bash('ls'),
    expect: { verdict: 'none' },
  });
  const selection = { name: undefined, hooks: [], events: [] };
  const done = await runTests(
    { files: [], selection, timeoutMs: undefined },
    await stage({ isTrusted: false }),
    context,
  );
  expect(failuresIn(done)).toEqual(['ls: no-rm was kept from running: untrusted']);
  expect(existsSync(join(cwd, 'canary'))).toBe(false);
  const text = toTerminal(testRunText(done, [], { cwd: context.cwd, width: 100 }), false);
  expect(text).toContain(
    'Not approved in the current version: no-rm. It was not run. Review and approve with hookwright',
  );
});

test('tests beside the script of a hook are found, wherever the script is', async () => {
  const { script, write, run } = createProject({ BeforeTool: [{ hooks: [{ command: 'tools/guard.sh --strict' }] }] });
  script('tools/guard.sh', blocks('rm'));
  write('tools/guard.sh.test.json', {
    name: 'beside',
    event: 'BeforeTool',
    payload: bash('rm'),
    expect: { verdict: 'deny' },
  });
  write('tools/other.sh.test.json', { event: 'BeforeTool' });
  write(
    '.hookwright/hooks/deep/x.test.jsonc',
    '{ "name": "below", "event": "BeforeTool", "expect": { "verdict": "none" } }',
  );
  const done = await run();
  expect(done.results.map(({ test }) => test.name)).toEqual(['below', 'beside']);
  expect(failuresIn(done)).toEqual([]);
});

test('tests are chosen by name, event and hook; an unknown hook is a mistake', async () => {
  const { script, write, run } = createProject({
    ...guard,
    SessionStart: [{ hooks: [{ name: 'hello', command: 'cat > /dev/null' }] }],
  });
  script('no-rm.sh', blocks('rm'));
  write('.hookwright/tests/a.test.json', {
    tests: [
      { name: 'bash', event: 'BeforeTool', payload: bash('ls') },
      { name: 'read', event: 'BeforeTool', payload: { tool_name: 'Read' } },
      { name: 'start', event: 'SessionStart' },
    ],
  });
  const none = { name: undefined, hooks: [], events: [] };
  const names = async (selection: object) => {
    const { results } = await run({ selection: { ...none, ...selection } });
    return results.map(({ test }) => test.name);
  };
  expect(await names({ name: '/^(bash|start)$/' })).toEqual(['bash', 'start']);
  expect(await names({ events: ['SessionStart'] })).toEqual(['start']);
  expect(await names({ hooks: ['no-rm'] })).toEqual(['bash']);
  await expect(names({ hooks: ['no-rn'] })).rejects.toThrow('no hook is called "no-rn"; did you mean "no-rm"?');
});

test('only switches the other hooks off, and one that is not there is a mistake of that test alone', async () => {
  const { script, write, run } = createProject({
    BeforeTool: [
      {
        hooks: [
          { name: 'no-rm', command: './no-rm.sh' },
          { name: 'all', command: 'exit 2' },
        ],
      },
    ],
  });
  script('no-rm.sh', blocks('rm'));
  write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    tests: [
      { name: 'alone', payload: bash('ls'), only: ['no-rm'], expect: { verdict: 'none', hooks: { all: 'disabled' } } },
      { name: 'typo', payload: bash('ls'), only: ['no-rn'], expect: { verdict: 'none' } },
    ],
  });
  expect(failuresIn(await run())).toEqual(['typo: no hook of BeforeTool is called "no-rn"; did you mean "no-rm"?']);
});

test('changed input and added context can be expected', async () => {
  const answer = JSON.stringify({
    hookSpecificOutput: { tool_input: { command: 'ls -a' }, additionalContext: 'use -a' },
    systemMessage: 'changed it',
  });
  const { write, run } = createProject({
    BeforeTool: [{ hooks: [{ name: 'changes', command: `cat > /dev/null; echo '${answer}'` }] }],
  });
  write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    payload: { tool_name: 'Bash', tool_input: { command: 'ls', cwd: '/' } },
    expect: {
      verdict: 'none',
      input: { command: 'ls -a', cwd: '/' },
      context: '/-a$/',
      message: 'changed',
      output: { hookSpecificOutput: { tool_input: { command: 'ls -a' } } },
    },
  });
  expect(failuresIn(await run())).toEqual([]);
});

test('a test that takes too long fails, and says why', async () => {
  const { write, run } = createProject({ BeforeTool: [{ hooks: [{ name: 'slow', command: 'sleep 20' }] }] });
  write('.hookwright/tests/a.test.json', { name: 'slow', event: 'BeforeTool', expect: { verdict: 'none' } });
  const failures = failuresIn(await run({ timeoutMs: 300 }));
  expect(failures[0]).toMatch(/^slow: deadline_exceeded: /);
});

test('an update writes what was found and nothing that came from a fault, and then the tests pass', async () => {
  const { script, write, run, read } = createProject({
    BeforeTool: [
      { matcher: 'Bash', hooks: [{ name: 'no-rm', command: './no-rm.sh' }] },
      { matcher: 'Edit', hooks: [{ name: 'breaks', command: 'cat > /dev/null; exit 3' }] },
    ],
  });
  script('no-rm.sh', blocks('rm'));
  write(
    '.hookwright/tests/a.test.json',
    `\ufeff{
  "event": "BeforeTool",
  "tests": [
    // new
    { "name": "new", "payload": { "tool_name": "Bash", "tool_input": { "command": "rm" } } },
    { "name": "old", "payload": { "tool_name": "Bash" }, "expect": { "verdict": "deny", "reason": "x" } },
    { "name": "broken", "payload": { "tool_name": "Edit" }, "expect": { "verdict": "deny" } }
  ]
}
`,
  );
  const done = await run();
  const updated = await updateTests(done);
  expect(updated.problems).toEqual([]);
  expect(updated.results.map(({ test }) => test.name)).toEqual(['new', 'old']);
  const text = read('.hookwright/tests/a.test.json');
  expect(text).toMatch(/^\ufeff/);
  expect(text).toContain('// new');
  expect(text).toContain('"expect": { "verdict": "none" } }');
  expect(text).toContain('"name": "broken", "payload": { "tool_name": "Edit" }, "expect": { "verdict": "deny" }');
  expect(failuresIn(await run())).toEqual([
    'broken: verdict: expected "deny", found "none"',
    'broken: breaks failed: exit-code',
  ]);
});

test('a file that changed while its tests ran is not written', async () => {
  const { write, run, read } = createProject();
  write('.hookwright/tests/a.test.json', { event: 'BeforeTool' });
  const done = await run();
  write('.hookwright/tests/a.test.json', '{ "event": "AfterTool" }');
  const { problems, results } = await updateTests(done);
  expect(problems[0]?.message).toContain('changed while its tests ran');
  expect(results).toEqual([]);
  expect(read('.hookwright/tests/a.test.json')).toBe('{ "event": "AfterTool" }');
});

test('Ctrl-C ends the run; what was not finished is not told as a result', async () => {
  const { write, run, context } = createProject({
    BeforeTool: [{ matcher: 'Slow', hooks: [{ name: 'slow', command: 'sleep 20' }] }],
  });
  write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    tests: [{ name: 'first' }, { name: 'slow', payload: { tool_name: 'Slow' } }, { name: 'last' }],
  });
  const running = run();
  await until('the slow one is run', 8_000, () => context.progressed.includes('2 of 3: slow'));
  context.stop();
  const { results, isInterrupted } = await running;
  expect({ names: results.map(({ test }) => test.name), isInterrupted }).toEqual({
    names: ['first'],
    isInterrupted: true,
  });
});
