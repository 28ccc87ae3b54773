import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { type EventRunner, HookAggregator, HookEventHandler, MessageBus, requestHooks } from '../../src/index.ts';
import {
  answers,
  engineOf,
  engineOnBus,
  groupOf,
  HOOK_EXECUTION_CANCEL,
  hangs,
  inSequence,
  requestFor,
  sleep,
  systemOn,
} from '../support/engine.ts';
import { commands, hostWith } from '../support/host.ts';
import { atMost } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';

/** A limit below what a busy machine may take from us by chance: a late answer counts when it is late every time. */
const shortLimit = { retry: 2 };

const block = answers('blocks', { decision: 'block', reason: 'no' });
const payload = { tool_name: 'ls', tool_input: {} };

/** What something took, and what came of it. */
const timed = async <T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const startedAt = performance.now();
  const value = await run();
  return { ms: performance.now() - startedAt, value };
};

describe.each([
  ['parallel', groupOf],
  ['sequential', inSequence],
] as const)('a %s plan', (_mode, group) => {
  const hooks = { BeforeTool: group(block, hangs('hangs'), hangs('more')) };

  test('F74 cancelled over the bus is answered within 50 ms', shortLimit, async () => {
    const { bus, answerTo } = engineOnBus({ hooks });
    bus.publish(requestFor('a'));
    await sleep(10);
    const { ms, value } = await timed(() => {
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
      return answerTo('a');
    });
    expect(value).toMatchObject({ error: { code: 'cancelled' }, output: { decision: 'block' } });
    expect(ms).toBeLessThanOrEqual(50);
  });

  test('F74 aborted by the caller is answered within 50 ms', shortLimit, async () => {
    const system = await engineOf({ hooks });
    const controller = new AbortController();
    const firing = system.getEventHandler().fire('BeforeTool', payload, { signal: controller.signal });
    await sleep(10);
    const { ms, value } = await timed(() => {
      controller.abort();
      return firing;
    });
    expect(value.errors[0]).toMatchObject({ code: 'cancelled' });
    expect(ms).toBeLessThanOrEqual(50);
  });

  test.each([20, 150])(
    'P1 F78 is answered at most 100 ms after its deadline of %d ms, and not before it',
    shortLimit,
    async (timeoutMs) => {
      const { bus } = engineOnBus({ hooks });
      const { ms, value } = await timed(() => requestHooks(bus, 'BeforeTool', payload, { timeoutMs }));
      expect(value.errors[0]).toMatchObject({ code: 'deadline_exceeded' });
      expect(value.finalOutput?.isBlockingDecision()).toBe(true);
      expect(ms).toBeGreaterThanOrEqual(timeoutMs - 1);
      expect(ms).toBeLessThanOrEqual(timeoutMs + 100);
    },
  );

  test('F72 disposed of is answered within 50 ms', shortLimit, async () => {
    const { bus, system, answerTo } = engineOnBus({ hooks });
    bus.publish(requestFor('a'));
    await sleep(10);
    const { ms, value } = await timed(() => Promise.all([answerTo('a'), system.dispose()]));
    expect(value[0]).toMatchObject({ error: { code: 'disposed' }, output: { decision: 'block' } });
    expect(ms).toBeLessThanOrEqual(50);
  });
});

describe('a runner of the host that never settles and hears nothing', () => {
  const deaf = untyped<EventRunner>({ executeHooksParallel: () => new Promise(() => {}) });
  const plan = { eventName: 'BeforeTool', hookConfigs: [{ command: 'c' }], sequential: false };
  const planner = { createExecutionPlan: () => untyped<never>(plan) };

  test('P1 F38 is answered for at most 100 ms after the deadline', shortLimit, async () => {
    const bus = new MessageBus();
    new HookEventHandler(hostWith(), planner, deaf, new HookAggregator(), bus);
    const { ms, value } = await timed(() => requestHooks(bus, 'BeforeTool', payload, { timeoutMs: 50 }));
    expect(value.errors).toMatchObject([{ code: 'deadline_exceeded' }, { details: { fault: 'deadline' } }]);
    expect(ms).toBeGreaterThanOrEqual(49);
    expect(ms).toBeLessThanOrEqual(150);
  });
});

test('F34 a request that nobody handles is answered at once', shortLimit, async () => {
  const { ms, value } = await timed(() => requestHooks(new MessageBus(), 'BeforeTool', payload));
  expect(value.errors).toMatchObject([{ code: 'no_handler' }]);
  expect(ms).toBeLessThanOrEqual(20);
});

test('F72 P13 dispose of an idle system is over at once', shortLimit, async () => {
  const system = systemOn(new MessageBus(), { hooks: { BeforeTool: commands('a') } });
  await system.initialize();
  const { ms } = await timed(() => system.dispose());
  expect(ms).toBeLessThanOrEqual(20);
});

describe('F41 P7 a matcher', () => {
  test.each<[title: string, matcher: string, toolName: string]>([
    ['with nested repetition', '(a+)+$', `${'a'.repeat(40)}!`],
    ['with repetitions in a row', '.*.*.*.*.*.*=.*', 'x'.repeat(4_000)],
    ['with optional characters', `${'a?'.repeat(100)}${'a'.repeat(100)}`, 'a'.repeat(100)],
    ['with alternatives in a row', `^${'(a|a)'.repeat(30)}$`, 'a'.repeat(31)],
    ['of a megabyte', `${'x'.repeat(1_000_000)}.`, 'ls'],
    ['of a megabyte of words', `${'word|'.repeat(200_000)}.`, 'ls'],
  ])('%s holds the event loop no longer than 60 ms, and faults', shortLimit, async (_title, matcher, toolName) => {
    const guard = { ...answers('guard', {}), onFault: 'deny' } as const;
    const system = await engineOf({ hooks: { BeforeTool: [{ matcher, hooks: [guard] }] } });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await sleep(20);
    const { result, results } = await system
      .getEventHandler()
      .fireDetailed('BeforeTool', { ...payload, tool_name: toolName });
    await sleep(20);
    delay.disable();
    expect(results).toMatchObject([{ code: 'matcher-timeout' }]);
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(delay.max / 1e6).toBeLessThanOrEqual(atMost(60));
  });
});
