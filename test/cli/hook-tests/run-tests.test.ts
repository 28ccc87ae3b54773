import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../support/processes.ts';
import { runCommand } from '../support/run-command.ts';
import { blocks, createProject, failuresIn, namesIn, testRunIn } from './support.ts';

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
  expect(done.tests).toHaveLength(4);
  expect(failuresIn(done)).toEqual(['wrong: verdict: expected "deny", found "none"']);
});

test('a guard that crashes fails the test that expects it to deny, whatever its onFault R2071', async () => {
  const [hook] = guard.BeforeTool;
  const { script, write, run } = createProject({
    BeforeTool: [{ ...hook, hooks: [{ name: 'no-rm', command: './no-rm.sh', onFault: 'deny' }] }],
  });
  script('no-rm.sh', '#!/bin/sh\nexit 1\n');
  write('.hookwright/tests/a.test.json', {
    name: 'rm',
    event: 'BeforeTool',
    payload: bash('rm -rf /'),
    expect: { verdict: 'deny', hooks: { 'no-rm': 'deny' } },
  });
  expect(failuresIn(await run())).toEqual(['rm: hooks.no-rm: expected "deny", found "exit-code"']);
});

test('nothing runs that nobody approved, and the test says so', async () => {
  const { cwd, script, write, runUntrusted } = createProject(guard);
  script('no-rm.sh', '#!/bin/sh\ntouch canary\n');
  write('.hookwright/tests/a.test.json', {
    name: 'ls',
    event: 'BeforeTool',
    payload: bash('ls'),
    expect: { verdict: 'none' },
  });
  expect(failuresIn(await runUntrusted())).toEqual(['ls: no-rm was kept from running: untrusted']);
  expect(existsSync(join(cwd, 'canary'))).toBe(false);
  const { code, stdout } = await runCommand(cwd, 'test');
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
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
  expect(namesIn(done)).toEqual(['below', 'beside']);
  expect(failuresIn(done)).toEqual([]);
});

test('a test whose name keeps it from being read is named beside the results of the others R2079', async () => {
  const { cwd, script, write, run } = createProject(guard);
  script('no-rm.sh', blocks('rm'));
  const passing = { name: 'ls', event: 'BeforeTool', payload: bash('ls'), expect: { verdict: 'none' } };
  write('.hookwright/tests/a.test.json', passing);
  const misnamed = write('.hookwright/tests/b.json', { ...passing, expect: { verdict: 'deny' } });
  write('.hookwright/tests/data.json', { command: 'ls' });
  const { problems, code } = await run();
  expect(problems.map(({ message }) => message)).toEqual([`${misnamed} is not read: name it b.test.json`]);
  expect(code).toBe(0);
  const { stdout } = await runCommand(cwd, 'test', '--trust-project');
  expect(stdout).toContain('warning .hookwright/tests/b.json\n  is not read: name it b.test.json');
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
  const names = async (...words: readonly string[]) => namesIn(await run(...words));
  expect(await names('--name', '/^(bash|start)$/')).toEqual(['bash', 'start']);
  expect(await names('--event', 'SessionStart')).toEqual(['start']);
  expect(await names('--hook', 'no-rm')).toEqual(['bash']);
  await expect(names('--hook', 'no-rn')).rejects.toThrow('no hook is called "no-rn"; did you mean "no-rm"?');
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
  const failures = failuresIn(await run('--timeout', '300'));
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
  const { problems, tests } = await run('--update');
  expect(problems).toEqual([]);
  expect(tests.map(({ name, status }) => [name, status])).toEqual([
    ['new', 'updated'],
    ['old', 'updated'],
    ['broken', 'failed'],
  ]);
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
  const changes = `cat > /dev/null; printf '{ "event": "AfterTool" }' > .hookwright/tests/a.test.json`;
  const { write, run, read } = createProject({ BeforeTool: [{ hooks: [{ name: 'changes', command: changes }] }] });
  write('.hookwright/tests/a.test.json', { event: 'BeforeTool' });
  const { problems, updated } = await run('--update');
  expect(problems[0]?.message).toContain('changed while its tests ran');
  expect(updated).toBe(0);
  expect(read('.hookwright/tests/a.test.json')).toBe('{ "event": "AfterTool" }');
});

test('Ctrl-C ends the run; what was not finished is not told as a result', async () => {
  const { cwd, write, start } = createProject({
    BeforeTool: [{ matcher: 'Slow', hooks: [{ name: 'slow', command: 'touch started; sleep 20' }] }],
  });
  write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    tests: [{ name: 'first' }, { name: 'slow', payload: { tool_name: 'Slow' } }, { name: 'last' }],
  });
  const { interrupt, ended } = start('--json');
  await until('the slow one is run', 8_000, () => existsSync(join(cwd, 'started')));
  interrupt();
  const { code, stdout } = await ended;
  const done = testRunIn(code, stdout);
  expect([namesIn(done), done.isInterrupted]).toEqual([['first'], true]);
});

test('a search for races names hooks that are not approved, as it did not try them R2074', async () => {
  const { cwd } = createProject(guard);
  const { stdout } = await runCommand(cwd, 'test', '--races', 'BeforeTool', '--tool', 'Bash');
  expect(stdout.replace(/\s+/g, ' ')).toContain('Not approved, so not tried: no-rm. No races were found.');
  const other = await runCommand(cwd, 'test', '--races', 'BeforeTool', '--tool', 'Read');
  expect(other.stdout).not.toContain('Not approved');
});
