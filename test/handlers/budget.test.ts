import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  createHooks,
  type EventBudgets,
  type HookConfig,
  type HookDefinition,
  type HookExecutionTrace,
} from '../../src/index.ts';
import { answers, fn, groupOf, inSequence } from '../support/engine.ts';
import { processesWith, until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';

const G = 100;

const taking = (name: string, ms: number, answer: object = {}, more: HookConfig = {}): HookConfig => ({
  ...fn(name, async () => {
    await sleep(ms);
    return answer;
  }),
  ...more,
});

const advisory = { advisory: true } as const;

const fire = async (groups: HookDefinition[], budgetMs?: EventBudgets, timeoutMs?: number) => {
  const traces: HookExecutionTrace[] = [];
  const warnings: string[] = [];
  const engine = await createHooks({
    hooks: { BeforeTool: groups },
    budgetMs,
    deps: {
      onTrace: (trace) => traces.push(trace),
      logger: { warn: (message) => warnings.push(message) },
      limits: { killGraceMs: G },
    },
  });
  const startedAt = performance.now();
  const heard = await engine.beforeTool({ tool: 'read', input: { path: 'a' }, timeoutMs });
  const tookMs = performance.now() - startedAt;
  const [trace] = traces;
  const codes = trace?.rows.map(({ warnings: told = [] }) => told.map(({ code }) => code));
  return { engine, heard, tookMs, trace, rows: trace?.rows ?? [], codes, warnings };
};

describe('R845 where an event takes longer than its budget, the trace names the hooks that cost most', () => {
  test('in parallel those that alone are too long', async () => {
    const slow = [taking('slow', 320), taking('quick', 1), taking('slower', 520)];
    const { heard, trace, codes, rows, warnings } = await fire(groupOf(...slow), { BeforeTool: 280 });
    expect(heard.verdict).toBe('none');
    expect(trace?.budgetMs).toBe(280);
    expect(codes).toEqual([['over-budget'], [], ['over-budget']]);
    expect(rows[0]?.warnings?.[0]).toMatchObject({
      message: expect.stringMatching(/^\d+ ms of the \d+ ms that BeforeTool took, whose budget is 280 ms$/),
      detail: { budgetMs: 280 },
    });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^\[hookwright:handler\] BeforeTool took \d+ ms, its budget is 280 ms; most of it: "slower" \(.+\), "slow" \(.+\)$/,
      ),
    ]);
  });

  test('in a sequence so many of the longest that the others would be within it', async () => {
    const hooks = [taking('a', 40), taking('longest', 400), taking('b', 250)];
    const { codes } = await fire(inSequence(...hooks), { BeforeTool: 280 });
    expect(codes).toEqual([[], ['over-budget'], ['over-budget']]);
  });

  test('where it keeps its budget nothing is said, nor where it has none', async () => {
    const within = await fire(groupOf(taking('a', 1)), { BeforeTool: 5_000 });
    expect([within.trace?.budgetMs, within.codes, within.warnings]).toEqual([5_000, [[]], []]);
    const without = await fire(groupOf(taking('a', 1)), { AfterTool: 1 });
    expect([without.trace?.budgetMs, without.codes, without.warnings]).toEqual([undefined, [[]], []]);
  });

  test.each<[budgets: unknown, message: string]>([
    [{ BeforeTol: 5 }, 'createHooks has budgetMs.BeforeTol, which is not an event; did you mean "BeforeTool"?'],
    [{ BeforeTool: '5s' }, 'createHooks needs budgetMs.BeforeTool as milliseconds over 0; got "5s"'],
    [200, 'createHooks needs budgetMs as milliseconds by event; got 200'],
  ])('in code %j is a mistake', async (budgets, message) => {
    await expect(createHooks({ budgetMs: untyped<EventBudgets>(budgets) })).rejects.toThrow(message);
  });
});

describe('R846 of an advisory hook only messages and context count', () => {
  const said = {
    decision: 'deny',
    reason: 'no',
    continue: false,
    stopReason: 'stop',
    systemMessage: 'careful',
    hookSpecificOutput: { additionalContext: 'seen before', tool_input: { path: 'b' } },
  };

  test('a verdict and a change are shown as unsupported', async () => {
    const { heard, rows } = await fire(groupOf(answers('advice', said, advisory), answers('other', {})));
    expect(heard).toMatchObject({
      verdict: 'none',
      input: { path: 'a' },
      context: 'seen before',
      messages: ['careful'],
    });
    expect(rows[0]?.fields).toMatchObject({
      decision: { fate: 'unsupported', note: 'the hook is advisory: its "deny" does not count' },
      reason: { fate: 'unsupported' },
      continue: { fate: 'unsupported' },
      stopReason: { fate: 'unsupported' },
      systemMessage: { fate: 'applied' },
      'hookSpecificOutput.additionalContext': { fate: 'applied' },
      'hookSpecificOutput.tool_input': { fate: 'unsupported' },
    });
  });

  test('also that of a command which exits with 2, and what the next of a sequence reads is as it was', async () => {
    const seen: unknown[] = [];
    const next = fn('next', ({ tool_input }) => void seen.push(tool_input));
    const { heard, rows } = await fire(
      inSequence({ command: 'echo no >&2; exit 2', ...advisory }, answers('rewrites', said, advisory), next),
    );
    expect([heard.verdict, seen]).toEqual(['none', [{ path: 'a' }]]);
    expect(rows[0]?.fields).toMatchObject({ decision: { fate: 'unsupported' } });
  });

  test('another hook that blocks still blocks', async () => {
    const { heard } = await fire(groupOf(answers('guard', { decision: 'deny' }), answers('advice', said, advisory)));
    expect(heard.verdict).toBe('deny');
  });
});

describe('R847 advisory hooks are not waited for beyond the budget', () => {
  test('in parallel, of every type; the answer of the others counts', async () => {
    const marker = `budget-${process.pid}`;
    const { heard, tookMs, rows } = await fire(
      groupOf(
        taking('function', 4_000, {}, advisory),
        { name: 'command', command: 'trap "" TERM; sleep 30; echo', env: { BUDGET_TEST: marker }, ...advisory },
        answers('guard', { decision: 'deny', reason: 'no' }),
      ),
      { BeforeTool: 100 },
    );
    expect(heard).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(tookMs).toBeGreaterThan(95);
    expect(tookMs).toBeLessThan(3_000);
    const message = 'the budget of BeforeTool (100 ms) was over, and it is advisory';
    expect(rows.map(({ outcome, code, message: told }) => [outcome, code, told])).toEqual([
      ['faulted', 'deadline', message],
      ['faulted', 'deadline', message],
      ['answered', undefined, undefined],
    ]);
    // P3 holds for them: the process that ignores the signal is gone after the grace.
    await until('the process is gone', G + 3_000, () => processesWith(`BUDGET_TEST=${marker}`).length === 0);
  });

  test('in a sequence the next hook starts then, and an advisory one that has not begun is left out', async () => {
    const seen: string[] = [];
    const { tookMs, rows } = await fire(
      inSequence(
        taking('slow', 4_000, {}, advisory),
        fn('guard', () => void seen.push('guard')),
        fn('late', () => void seen.push('late')),
        { ...fn('left out', () => void seen.push('left out')), ...advisory },
      ),
      { BeforeTool: 100 },
    );
    expect([seen, tookMs < 3_000]).toEqual([['guard', 'late'], true]);
    expect(rows.map(({ code }) => code)).toEqual(['deadline', undefined, undefined, 'deadline']);
  });

  test('without a budget they are waited for, and other hooks are waited for in any case', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'late' } };
    const [free, bound] = await Promise.all([
      fire(groupOf(taking('advice', 150, context, advisory))),
      fire(groupOf(taking('no advice', 150, context)), { BeforeTool: 50 }),
    ]);
    expect([free.heard.context, bound.heard.context]).toEqual(['late', 'late']);
  });

  test('the end of the request ends them as before', async () => {
    const { rows, heard } = await fire(groupOf(taking('advice', 4_000, {}, advisory)), { BeforeTool: 5_000 }, 60);
    expect(heard.faults).toMatchObject([{ code: 'deadline_exceeded' }, { code: 'deadline' }]);
    expect(rows[0]?.message).toBe('the deadline of the request passed');
  });
});
