import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type HookExecutionTrace } from '../../src/index.ts';

const block = (more: object = {}) => ({
  name: 'go-on',
  type: 'command' as const,
  command: `sed 's/.*"stop_count":\\([0-9]*\\).*/{"decision":"block","reason":"round \\1"}/'`,
  ...more,
});

const start = async (event: 'AfterAgent' | 'SubagentStop', hook: object) => {
  const hooks = await createHooks({ hooks: { [event]: [{ hooks: [hook] }] } });
  onTestFinished(() => hooks.close());
  return hooks;
};

/** An agent that obeys: it goes on as long as hooks want it to. */
const turn = async (end: (stopHookActive: boolean) => Promise<{ verdict: string; reason?: string | undefined }>) => {
  const verdicts: string[] = [];
  const reasons: (string | undefined)[] = [];
  for (let isSentOn = false; verdicts.length < 20; isSentOn = true) {
    const { verdict, reason } = await end(isSentOn);
    verdicts.push(verdict);
    reasons.push(reason);
    if (verdict !== 'deny') break;
  }
  return { verdicts, reasons };
};

describe('R1600 an agent that hooks send on', () => {
  const endOf = (hooks: Awaited<ReturnType<typeof start>>) => (stopHookActive: boolean) =>
    hooks.afterAgent({ prompt: 'fix it', response: 'done', stopHookActive });

  test('is stopped by the ninth block for one prompt, and hooks read how often it was', async () => {
    const hooks = await start('AfterAgent', block());
    for (const _prompt of ['one', 'two']) {
      const { verdicts, reasons } = await turn(endOf(hooks));
      expect(verdicts).toEqual([...Array(8).fill('deny'), 'stop']);
      expect(reasons.slice(0, 3)).toEqual(['round 0', 'round 1', 'round 2']);
    }
  });

  test('is stopped after as many as maxStops of the hook says, or never', async () => {
    expect((await turn(endOf(await start('AfterAgent', block({ maxStops: 2 }))))).verdicts).toEqual([
      'deny',
      'deny',
      'stop',
    ]);
    expect((await turn(endOf(await start('AfterAgent', block({ maxStops: null }))))).verdicts).toHaveLength(20);
  });

  test('is stopped as a sub-agent, too, each kind by a count of its own', async () => {
    const hooks = await start('SubagentStop', block({ maxStops: 1 }));
    const ends = (agentType: string) => (stopHookActive: boolean) => hooks.subagentStop({ agentType, stopHookActive });
    await ends('other')(false);
    expect((await turn(ends('reviewer'))).verdicts).toEqual(['deny', 'stop']);
    expect((await ends('other')(true)).verdict).toBe('stop');
  });

  test('has a notice in the row of the hook', async () => {
    const traces: HookExecutionTrace[] = [];
    const hooks = await createHooks({
      hooks: { AfterAgent: [{ hooks: [block({ maxStops: 0 })] }] },
      deps: { onTrace: (trace) => traces.push(trace) },
    });
    onTestFinished(() => hooks.close());
    expect((await hooks.afterAgent({ prompt: 'a', response: 'b' })).verdict).toBe('stop');
    expect(traces[0]?.rows).toMatchObject([{ warnings: [{ code: 'limit-reached' }] }]);
  });

  test('is counted by a host that knows better', async () => {
    const hooks = await start('AfterAgent', block());
    expect(await hooks.fire('AfterAgent', { prompt: 'a', prompt_response: 'b', stop_count: 8 })).toMatchObject({
      verdict: 'stop',
    });
  });
});
