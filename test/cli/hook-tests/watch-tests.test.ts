import { expect, test } from 'vitest';
import { until } from '../../support/processes.ts';
import { type RunningCommand, runCommand, startCommand } from '../support/run-command.ts';
import { createProject } from './support.ts';

const settings = (name: string) => ({ BeforeTool: [{ hooks: [{ name, command: './a.sh' }] }] });

/** Whether as many runs are over. */
const waits =
  ({ stderr }: RunningCommand, count: number) =>
  (): boolean =>
    stderr().split('waiting for a change').length - 1 === count;

test('tests run again when a script, a test or the settings change, and end when they are told to', {
  timeout: 60_000,
}, async () => {
  const { script, write, start } = createProject(settings('a'));
  const test = { name: 'first', event: 'BeforeTool', expect: { verdict: 'none' } };
  script('a.sh', 'exit 0\n');
  write('.hookwright/tests/old.test.json', test);
  const watching = start('--watch', '--hook', 'a');
  await until('the first run', 10_000, waits(watching, 1));
  // What was asked for may become something that cannot be answered, for a while.
  write('.hookwright/settings.json', { hooks: settings('b') });
  await until('a run after the settings changed', 10_000, waits(watching, 2));
  write('.hookwright/settings.json', { hooks: settings('a') });
  await until('a run after they were changed back', 10_000, waits(watching, 3));
  script('a.sh', 'exit 0 # changed\n');
  await until('a run after a script changed', 10_000, waits(watching, 4));
  write('.hookwright/tests/new.test.json', { ...test, name: 'second' });
  await until('a run after a test appeared', 10_000, waits(watching, 5));
  write('.system/hook-tests/new.json', {});
  await until('a run after a test of an ability hook appeared', 10_000, waits(watching, 6));
  // What hooks write there is nothing tests depend on.
  write('.hookwright/log.jsonl', 'x');
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(waits(watching, 6)()).toBe(true);
  watching.interrupt();
  const { code, stdout, stderr } = await watching.ended;
  expect(code).toBe(0);
  expect(stdout.match(/✓ \w+/g)).toEqual([
    '✓ first',
    '✓ first',
    '✓ first',
    ...['✓ second', '✓ first'],
    ...['✓ second', '✓ first'],
  ]);
  expect(stderr).toContain('no hook is called "a"');
  expect(stderr).toContain('changed: a.sh');
});

test.each([
  ['y', true],
  ['', false],
])(
  'who edits a hook is asked once whether it runs as edited, and the answer %j counts: %s',
  {
    timeout: 60_000,
  },
  async (typed, trusts) => {
    const { cwd, script, write } = createProject(settings('a'));
    const test = { event: 'BeforeTool', expect: { verdict: 'deny' } };
    const denies = '#!/bin/sh\ncat > /dev/null\nexit 2\n';
    script('a.sh', denies);
    write('.hookwright/tests/old.test.json', { ...test, name: 'old' });
    await runCommand(cwd, 'trust', '--yes');
    const watching = startCommand(cwd, ['test', '--watch'], { isTerminal: true });
    const questions = () => watching.stdout().split('run hooks of this project as you edit them').length - 1;
    await until('the first run', 10_000, waits(watching, 1));
    write('.hookwright/tests/new.test.json', { ...test, name: 'new' });
    await until('a run after a test changed, which nobody has to approve', 10_000, waits(watching, 2));
    expect(questions()).toBe(0);
    script('a.sh', `${denies}# changed\n`);
    await until('the question', 10_000, () => questions() === 1);
    const before = watching.stdout().length;
    expect(watching.stdout()).not.toContain('✗');
    watching.type(`${typed}\n`);
    await until('a run after an edit', 10_000, waits(watching, 3));
    script('a.sh', `${denies}# changed again\n`);
    await until('a run after another', 10_000, waits(watching, 4));
    watching.interrupt();
    const { stdout } = await watching.ended;
    expect(questions()).toBe(1);
    const mark = trusts ? '✓' : '✗';
    expect(stdout.slice(before).match(/[✓✗](?= (?:old|new))/g)).toEqual([mark, mark, mark, mark]);
  },
);
