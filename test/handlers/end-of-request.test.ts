import { describe, expect, test } from 'vitest';
import {
  type EventRunner,
  HookAggregator,
  type HookConfig,
  HookEventHandler,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import {
  answers,
  engineOnBus,
  fn,
  groupOf,
  HOOK_EXECUTION_CANCEL,
  HOOK_EXECUTION_RESPONSE,
  hangs,
  heard,
  inSequence,
  requestFor,
  sleep,
} from '../support/engine.ts';
import { deferred, hostWith } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';
import { empty } from './fire-support.ts';

describe('the end of a request', () => {
  test.each(['parallel', 'sequential'] as const)(
    'F74 cancelled in a %s plan is answered with what had finished, its hooks told',
    async (mode) => {
      let stopped = 0;
      let later = 0;
      const hooks = [
        answers('first', { decision: 'block', reason: 'no' }),
        hangs('hangs', () => {
          stopped += 1;
        }),
        fn('later', () => {
          later += 1;
          return mode === 'sequential' ? undefined : new Promise(() => {});
        }),
      ];
      const { bus, answerTo, traces } = engineOnBus({
        hooks: { BeforeTool: (mode === 'parallel' ? groupOf : inSequence)(...hooks) },
      });
      bus.publish(requestFor('a'));
      await sleep(10);
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
      const response = await answerTo('a');
      expect(response).toMatchObject({ success: false, error: { code: 'cancelled' }, output: { decision: 'block' } });
      expect(response.result).toMatchObject({ success: false, finalOutput: { reason: 'no' } });
      expect(stopped).toBe(1);
      expect(later).toBe(mode === 'parallel' ? 1 : 0);
      expect(traces[0]?.rows.map((row) => row.code)).toEqual([undefined, 'cancelled', 'cancelled']);
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'unknown' });
    },
  );

  test('is what ended it first: a later dispose changes nothing', async () => {
    const { bus, system, responses, answerTo } = engineOnBus({ hooks: { BeforeTool: groupOf(hangs('a')) } });
    bus.publish(requestFor('a'));
    await sleep(5);
    bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    await system.dispose();
    expect((await answerTo('a')).error?.code).toBe('cancelled');
    expect(responses).toHaveLength(1);
  });

  test('makes its result a failed one, even where every hook still came through', async () => {
    const bus = new MessageBus();
    const result = { hookConfig: { command: 'c' }, eventName: 'BeforeTool', success: true, duration: 1 };
    const runner = { executeHooksParallel: () => sleep(15).then(() => [result]) };
    const plan = { eventName: 'BeforeTool', hookConfigs: [{ command: 'c' }], sequential: false };
    const planner = { createExecutionPlan: () => untyped<never>(plan) };
    new HookEventHandler(hostWith(), planner, untyped<EventRunner>(runner), new HookAggregator(), bus);
    const responses = heard(bus, HOOK_EXECUTION_RESPONSE);
    bus.publish(requestFor('a'));
    await sleep(5);
    bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    await sleep(30);
    expect(responses).toMatchObject([
      { success: false, error: { code: 'cancelled' }, result: { success: false, errors: [] } },
    ]);
  });

  test('cancelled before its hooks were loaded starts none of them', async () => {
    const gate = deferred();
    let runs = 0;
    const hook = fn('a', () => {
      runs += 1;
    });
    const getHooks = (): Promise<object> => gate.promise.then(() => ({ BeforeTool: groupOf(hook) }));
    const { bus, answerTo } = engineOnBus({ host: { getHooks: untyped(getHooks) } });
    bus.publish(requestFor('a'));
    await sleep(2);
    bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    expect(await answerTo('a')).toMatchObject({ success: false, error: { code: 'cancelled' } });
    gate.resolve();
    await sleep(5);
    expect(runs).toBe(0);
  });

  test('R819 timeoutMs of the first event counts while its hooks are loaded, and only what is left of it is theirs', async () => {
    const never = engineOnBus({ host: { getHooks: () => new Promise(() => {}) } });
    const startedAt = performance.now();
    never.bus.publish({ ...requestFor('a'), timeoutMs: 40 });
    expect(await never.answerTo('a')).toMatchObject({ success: false, error: { code: 'deadline_exceeded' } });
    expect(performance.now() - startedAt).toBeLessThan(1_000);

    const slow = fn('slow', () => sleep(250));
    const getHooks = (): Promise<object> => sleep(200).then(() => ({ BeforeTool: groupOf(slow) }));
    const late = engineOnBus({ host: { getHooks: untyped(getHooks) } });
    late.bus.publish({ ...requestFor('b'), timeoutMs: 300 });
    expect(await late.answerTo('b')).toMatchObject({ success: false, error: { code: 'deadline_exceeded' } });
  });

  test('cancelled in the turn it was published starts no hook', async () => {
    let runs = 0;
    const hook = fn('a', () => {
      runs += 1;
    });
    const { bus, system, answerTo, traces } = engineOnBus({ hooks: { BeforeTool: groupOf(hook) } });
    await system.initialize();
    bus.publish(requestFor('a'));
    bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    expect(await answerTo('a')).toMatchObject({ error: { code: 'cancelled' } });
    expect(runs).toBe(0);
    expect(traces).toMatchObject([{ rows: [{ name: 'a', planned: 'skip', reason: 'aborted', reasons: ['aborted'] }] }]);
  });

  test('F78 at the deadline is answered with what had finished; the block counts, the rest is told', async () => {
    const hooks = {
      BeforeTool: groupOf(
        answers('blocks', { decision: 'block', reason: 'no' }),
        answers('allows', { decision: 'allow' }),
        hangs('hangs'),
      ),
    };
    const { bus, answerTo, traces } = engineOnBus({ hooks });
    const startedAt = performance.now();
    bus.publish({ ...requestFor('a'), timeoutMs: 60 });
    const response = await answerTo('a');
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThanOrEqual(58);
    expect(response).toMatchObject({
      success: false,
      error: { code: 'deadline_exceeded', details: { timeoutMs: 60 } },
    });
    expect(response.output).toMatchObject({ decision: 'block', reason: 'no' });
    expect(response.result).toMatchObject({
      success: false,
      allOutputs: [{ decision: 'block' }, { decision: 'allow' }],
    });
    expect(traces[0]?.rows.map((row) => [row.outcome, row.code])).toEqual([
      ['answered', undefined],
      ['answered', undefined],
      ['faulted', 'deadline'],
    ]);
  });

  test('the deadline covers hooks that still wait for a place', async () => {
    const slow = Array.from({ length: 5 }, (_, index) => hangs(`h${index}`));
    const { bus, answerTo, traces } = engineOnBus({
      hooks: { BeforeTool: groupOf(...slow) },
      deps: { limits: { concurrency: 2 } },
    });
    bus.publish({ ...requestFor('a'), timeoutMs: 30 });
    expect(await answerTo('a')).toMatchObject({ error: { code: 'deadline_exceeded' } });
    expect(traces[0]?.rows.map((row) => row.code)).toEqual(slow.map(() => 'deadline'));
  });

  type Ending = [code: string, fault: string];
  const endings: Ending[] = [
    ['deadline_exceeded', 'deadline'],
    ['cancelled', 'cancelled'],
    ['disposed', 'cancelled'],
  ];

  /** The verdict of a request that ends early while this hook runs, or waits for a place. */
  const verdictAtTheEnd = async ([code, fault]: Ending, hook: HookConfig, waits: boolean): Promise<unknown> => {
    const BeforeTool = waits ? groupOf(hangs('first'), hook) : groupOf(hook, hangs('second'));
    const { bus, system, answerTo, traces } = engineOnBus({
      hooks: { BeforeTool },
      deps: { limits: { concurrency: 1 } },
    });
    bus.publish({ ...requestFor('a'), timeoutMs: code === 'deadline_exceeded' ? 20 : 5_000 });
    await sleep(5);
    if (code === 'cancelled') bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    if (code === 'disposed') await system.dispose();
    const response = await answerTo('a');
    expect(response.error?.code).toBe(code);
    expect(traces[0]?.rows.map((row) => row.code)).toEqual([fault, fault]);
    return response.output?.decision;
  };

  describe.each(endings)('P5 %s is the fault %s', (...ending) => {
    test.each([
      ['allow', undefined],
      ['deny', 'deny'],
      ['ask', 'ask'],
    ] as const)(
      'of a hook that runs or waits for a place, and its onFault %s makes it %s',
      async (onFault, verdict) => {
        expect(await verdictAtTheEnd(ending, { ...hangs('guard'), onFault }, false)).toBe(verdict);
        expect(await verdictAtTheEnd(ending, { ...hangs('guard'), onFault }, true)).toBe(verdict);
      },
    );
  });

  test('without a deadline the longest its hooks may take is one', async () => {
    const hook = { ...hangs('hangs'), timeout: 1_000 };
    const stubborn = {
      executeHooksParallel: () => new Promise(() => {}),
      limits: { concurrency: 1, killGraceMs: 0, drainMs: 0 },
    };
    const bus = new MessageBus();
    const plan = {
      eventName: 'BeforeTool',
      hookConfigs: [
        { ...hook, timeout: 20 },
        { ...hook, timeout: 30 },
      ],
      sequential: false,
    };
    const aggregator = { aggregateResults: () => ({ ...empty, errors: [], allOutputs: [] }) };
    new HookEventHandler(
      hostWith(),
      untyped({ createExecutionPlan: () => plan }),
      untyped(stubborn),
      untyped(aggregator),
      bus,
    );
    const startedAt = performance.now();
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    const took = performance.now() - startedAt;
    expect(result.errors).toMatchObject([{ code: 'deadline_exceeded' }]);
    expect(took).toBeGreaterThanOrEqual(58);
  });

  test('P1 every request gets exactly one response, whatever its hooks do and whenever it is cancelled', async () => {
    const hooks = {
      BeforeTool: groupOf(
        fn('varies', (input) => {
          const { tool_name: name } = untyped<{ tool_name: string }>(input);
          if (name === 'hang') return new Promise(() => {});
          if (name === 'slow') return sleep(8).then(() => ({ decision: 'deny' }));
          if (name === 'throw') throw new Error('boom');
          return name === 'sync' ? { decision: 'allow' } : undefined;
        }),
      ),
    };
    const { bus, responses, ask } = engineOnBus({ hooks });
    const names = ['hang', 'slow', 'throw', 'sync', 'silent'];
    let state = 7;
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % below;
    };
    const ids = Array.from({ length: 200 }, (_, index) => `id${index}`);
    for (const correlationId of ids) {
      const tool_name = names[random(names.length)];
      ask({
        correlationId,
        eventName: 'BeforeTool',
        payload: { tool_name, tool_input: {} },
        timeoutMs: 5 + random(40),
      });
      if (random(3) === 0) setTimeout(() => bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId }), random(30));
      if (random(10) === 0) await sleep(1);
    }
    await sleep(150);
    expect(responses.map((response) => response.correlationId).sort()).toEqual([...ids].sort());
  });
});
