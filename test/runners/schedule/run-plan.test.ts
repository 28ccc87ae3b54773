import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HookConfig, type HookInput, HookRunner, type HookRunnerDeps } from '../../../src/index.ts';
import { answers, fn, sleep } from '../../support/engine.ts';
import { hostWith, keepLines } from '../../support/host.ts';
import { ownNow } from '../../support/own-clock.ts';
import { atMost } from '../../support/processes.ts';
import { untyped } from '../../support/untyped.ts';

const input: HookInput<'BeforeTool'> = {
  session_id: 's',
  transcript_path: '',
  cwd: tmpdir(),
  hook_event_name: 'BeforeTool',
  timestamp: new Date(0).toISOString(),
  tool_name: 'ls',
  tool_input: {},
};

const runnerWith = (deps: HookRunnerDeps = {}): HookRunner => {
  const runner = new HookRunner(hostWith({ getWorkingDir: tmpdir }), deps);
  onTestFinished(() => runner.dispose());
  return runner;
};

const slow = (name: string): HookConfig => ({ name, command: 'sleep 1' });

describe('the places for processes', () => {
  test('are as many as the limit says, and nobody sees more hooks at once', async () => {
    const runner = runnerWith({ limits: { concurrency: 2 } });
    let running = 0;
    let most = 0;
    const hooks = Array.from({ length: 6 }, (_, index) => ({ name: `h${index}`, command: ':' }));
    const started: number[] = [];
    const results = await runner.executeHooksParallel(
      hooks,
      'BeforeTool',
      input,
      (_hook, index) => {
        running += 1;
        most = Math.max(most, running);
        started.push(index);
      },
      () => {
        running -= 1;
      },
    );
    expect(most).toBe(2);
    expect(started).toEqual([0, 1, 2, 3, 4, 5]);
    expect(results.map(({ hookConfig }) => hookConfig.name)).toEqual(hooks.map(({ name }) => name));
  });

  test('are not for functions: a guard in the process is heard while commands of other events wait', async () => {
    const runner = runnerWith({ limits: { concurrency: 1 } });
    const cancel = new AbortController();
    const busy = runner.executeHooksParallel(
      [slow('a'), slow('b')],
      'BeforeTool',
      input,
      undefined,
      undefined,
      cancel.signal,
    );
    const guard = { ...answers('guard', { decision: 'deny', reason: 'no' }), timeout: 50 };
    const startedAt = ownNow();
    const [first, second] = await Promise.all([
      runner.executeHook(guard, 'BeforeTool', input),
      runner.executeHook(
        fn('waits', async () => sleep(1).then(() => ({ decision: 'ask' }))),
        'BeforeTool',
        input,
      ),
    ]);
    expect(first.output).toEqual({ decision: 'deny', reason: 'no' });
    expect(second.output).toEqual({ decision: 'ask' });
    expect(ownNow() - startedAt).toBeLessThan(atMost(100));
    cancel.abort();
    expect((await busy).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
  });

  test('a command that waits for one when its request ends is answered at once, was never started, and obeys onFault', async () => {
    const runner = runnerWith({ limits: { concurrency: 1 } });
    const cancel = new AbortController();
    const names: (string | undefined)[] = [];
    const hooks = [
      slow('first'),
      ...Array.from(
        { length: 2_000 },
        (_, index): HookConfig => ({ name: `h${index}`, command: ':', onFault: 'deny' }),
      ),
    ];
    const run = runner.executeHooksParallel(
      hooks,
      'BeforeTool',
      input,
      ({ name }) => names.push(name),
      undefined,
      cancel.signal,
    );
    setTimeout(() => cancel.abort(), 20);
    const results = await run;
    expect(names).toEqual(['first']);
    expect(new Set(results.map(({ code }) => code))).toEqual(new Set(['cancelled']));
    expect(results.filter(({ output }) => output?.decision === 'deny')).toHaveLength(2_000);
    expect(await runner.executeHook({ command: `echo '{"decision":"allow"}'` }, 'BeforeTool', input)).toMatchObject({
      output: { decision: 'allow' },
    });
  });
});

describe('whatever a planner of the host hands over', () => {
  const deny = answers('guard', { decision: 'deny', reason: 'no' });
  const strange: [string, HookConfig][] = [
    ['a hook of a type that nobody knows', { type: 'telepathy', name: 'odd' }],
    ['a type that is no text', untyped({ type: 7 })],
    ['no hook at all', untyped(null)],
    ['a word', untyped('check.sh')],
  ];

  test.each(strange)('%s is a fault of its own, and takes no answer of others away', async (_what, odd) => {
    const runner = runnerWith();
    for (const execute of ['executeHooksParallel', 'executeHooksSequential'] as const) {
      const results = await runner[execute]([odd, deny], 'BeforeTool', input);
      expect(results).toMatchObject([{ success: false, code: 'not-supported' }, { output: { decision: 'deny' } }]);
    }
    expect(await runner.executeHook(odd, 'BeforeTool', input)).toMatchObject({ code: 'not-supported' });
  });

  test('no hooks have no results', async () => {
    const runner = runnerWith();
    for (const execute of ['executeHooksParallel', 'executeHooksSequential'] as const) {
      expect(await runner[execute]([], 'BeforeTool', input)).toEqual([]);
    }
  });

  test('an event that nobody knows runs its hooks all the same', async () => {
    const runner = runnerWith();
    for (const execute of ['executeHooksParallel', 'executeHooksSequential'] as const) {
      expect(await runner[execute]([deny, deny], untyped<'BeforeTool'>('BeforeDawn'), input)).toMatchObject([
        { output: { decision: 'deny' } },
        { output: { decision: 'deny' } },
      ]);
    }
  });

  test('input that is no JSON is a fault of the hooks that read it as JSON', async () => {
    const round: Record<string, unknown> = { ...input };
    round.self = round;
    const results = await runnerWith().executeHooksParallel(
      [{ command: 'cat', name: 'cat' }],
      'BeforeTool',
      untyped(round),
    );
    expect(results).toMatchObject([{ code: 'threw', success: false }]);
  });

  test('one who is told and throws keeps no hook from running, and the log says so', async () => {
    const { logger, warn } = keepLines();
    const boom = (): never => {
      throw new Error('not now');
    };
    const results = await runnerWith({ logger }).executeHooksParallel([deny, deny], 'BeforeTool', input, boom, boom);
    expect(results.map(({ output }) => output?.decision)).toEqual(['deny', 'deny']);
    expect(warn).toHaveLength(4);
    expect(warn[0]).toContain('not now');
  });
});
