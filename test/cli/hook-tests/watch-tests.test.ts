import { expect, test } from 'vitest';
import { watchTests } from '../../../src/cli/hook-tests/watch-tests.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';
import { until } from '../../support/processes.ts';
import { createProject } from './support.ts';

test('tests run again when a script, a test or the settings change, and end when they are told to', {
  timeout: 30_000,
}, async () => {
  const hooks = { BeforeTool: [{ hooks: [{ name: 'a', command: './a.sh' }] }] };
  const { script, write, stage, context } = createProject(hooks);
  script('a.sh', 'exit 0\n');
  let runs = 0;
  const watching = watchTests(
    () => stage(),
    () => {
      runs += 1;
      // After the first run the question may become one that cannot be answered, for a while.
      if (runs === 2) throw new UsageError('not now');
      return Promise.resolve({ data: runs, text: () => [] });
    },
    context,
  );
  const waits = (count: number) => () => context.notes.filter((note) => note.startsWith('waiting')).length === count;
  await until('the first run', 5_000, waits(1));
  script('a.sh', 'exit 0 # changed\n');
  await until('a run after a script changed', 5_000, waits(2));
  write('.hookwright/tests/new.test.json', { event: 'BeforeTool' });
  await until('a run after a test appeared', 5_000, waits(3));
  write('.hookwright/settings.json', { hooks: {} });
  await until('a run after the settings changed', 5_000, waits(4));
  write('.system/hook-tests/new.json', {});
  await until('a run after a test of an ability hook appeared', 5_000, waits(5));
  // What hooks write there is nothing tests depend on.
  write('.hookwright/log.jsonl', 'x');
  await new Promise((resolve) => setTimeout(resolve, 600));
  context.stop();
  expect(await watching).toMatchObject({ data: { runs: 5 } });
  expect(context.items).toEqual([1, 3, 4, 5]);
  expect(context.notes.join('')).toContain('not now');
  expect(context.notes.join('')).toContain('changed: a.sh');
});

test.each([
  ['y', true],
  ['', false],
])('who edits a hook is asked once whether it runs as edited, and the answer %j counts: %s', async (said, trusts) => {
  const hooks = { BeforeTool: [{ hooks: [{ name: 'a', command: './a.sh' }] }] };
  const { script, write, stage, context } = createProject(hooks);
  script('a.sh', 'exit 0\n');
  let questions = 0;
  const ask = (): Promise<string> => {
    questions += 1;
    return Promise.resolve(said);
  };
  const trusted: boolean[] = [];
  const prepare = (trustsProject: boolean) => {
    trusted.push(trustsProject);
    return stage();
  };
  const perform = () => Promise.resolve({ data: {}, text: () => [] });
  const watching = watchTests(prepare, perform, { ...context, ask, canAsk: true });
  const waits = (count: number) => () => context.notes.filter((note) => note.startsWith('waiting')).length === count;
  await until('the first run', 5_000, waits(1));
  write('.hookwright/tests/new.test.json', { event: 'BeforeTool' });
  await until('a run after a test changed, which nobody has to approve', 5_000, waits(2));
  expect(questions).toBe(0);
  script('a.sh', 'exit 0 # changed\n');
  await until('a run after an edit', 5_000, waits(3));
  script('a.sh', 'exit 0 # changed again\n');
  await until('a run after another', 5_000, waits(4));
  context.stop();
  await watching;
  expect(questions).toBe(1);
  expect(trusted).toEqual([false, false, trusts, trusts]);
});
