import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backtest, races } from '../../src/sessions/backtest/index.ts';
import { answering, call, configOf, denying, group, recordCalls, setting } from './support.ts';

test('a report is a table, the worst first, with the counts at its end', async () => {
  const guard = group([denying('no-rm', 'deleting recursively is for people, not for agents')], {
    matcher: 'run_shell',
  });
  const limit = group([setting('limit', { timeout: 10 })]);
  const asked = [call('read_file', { path: 'a' }), call('run_shell'), call('read_file', { path: 'b' }), call('fetch')];
  const session = await recordCalls([guard, limit], asked);
  const config = configOf([group([setting('limit', { timeout: 10 })], { matcher: 'fetch' })]);
  expect((await backtest(session, config)).toText().split('\n')).toEqual([
    'Dry run: no hook was run; their recorded answers were merged anew.',
    '',
    '  line        times  event                        what changed',
    '  ──────────  ─────  ───────────────────────────  ──────────────────────────────',
    '  7           1      BeforeTool run_shell         newly-allowed, changed-input,',
    '                                                  changed-order',
    '              verdict: deny → none',
    '              reason: "deleting recursively is for people, not for agents" →',
    '                nothing',
    '              tool_input.timeout: 10 → nothing',
    '              runs no longer: no-rm, limit',
    '  2           2      BeforeTool read_file         changed-input, changed-order',
    '              tool_input.timeout: 10 → nothing',
    '              runs no longer: limit',
    '',
    '4 decisions: 1 newly-allowed, 3 changed-input, 3 changed-order, 1 unchanged',
  ]);
});

test('a report without changes is two lines', async () => {
  const hooks = [group([denying('no-rm')])];
  const report = await backtest(await recordCalls(hooks), configOf(hooks));
  expect(
    report
      .toText()
      .split('\n')
      .filter((line) => line !== ''),
  ).toEqual(['Dry run: no hook was run; their recorded answers were merged anew.', '1 decision: 1 unchanged']);
});

test('what cannot be compared stands above the counts', async () => {
  const entries = await recordCalls([], [call('a')]);
  const text = (await backtest(entries.slice(0, 1), configOf([]))).toText();
  expect(text.split('\n').slice(-3)).toEqual([
    '  line 2: BeforeTool was never answered in this recording and is not compared',
    '',
    '0 decisions: 0 unchanged',
  ]);
});

const aText = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary-ascii' }),
  fc.constantFrom('\u001b[2J', '\u009b31m', '\u202egnp.exe', 'x'.repeat(300), 'two\nlines', ''),
);

/** What a terminal would act on. */
const ACTIVE = /[\p{Cc}\p{Bidi_Control}]/u;

test('no line is longer than 80 columns or does anything to a terminal, whatever hooks and tools are called and say', async () => {
  await fc.assert(
    fc.asyncProperty(aText, aText, aText, async (tool, said, name) => {
      const hook = { ...denying('guard', said), name: `hook ${name}` };
      const changing = { ...setting('other', { [said]: tool }), name: `other ${name}` };
      const session = await recordCalls([group([hook, changing])], [call(`t${tool}`, { command: said })]);
      const report = await backtest(session, configOf([group([answering('new', undefined)])]));
      expect(report.total).toBe(1);
      const lines = report.toText().split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.filter((line) => ACTIVE.test(line))).toEqual([]);
    }),
  );
});

test('races are told in a few words', async () => {
  const config = configOf([group([setting('a', { path: 'from a' }), setting('b', { path: 'from b' })])]);
  const event = { eventName: 'BeforeTool', payload: { tool_name: 'run_shell', tool_input: {} } } as const;
  const report = await races(config, event, { latencies: [0] });
  expect(report.toText().split('\n')).toEqual([
    `Real runs: a, b were run ${report.runs} times, all or some of them, with real side effects.`,
    '',
    '1 found:',
    '  a and b: tool_input.path, by order',
    '      a configured first: "from b"',
    '      b configured first: "from a"',
  ]);
});
