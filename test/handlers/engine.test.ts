import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type EventRunner,
  HookAggregator,
  type HookConfig,
  HookEventHandler,
  type HookEventHandlerDeps,
  type HookExecutionResult,
  type HostConfig,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import {
  answers,
  engineOf,
  engineOnBus,
  fn,
  groupOf,
  HOOK_EXECUTION_CANCEL,
  inSequence,
  requestFor,
  sleep,
} from '../support/engine.ts';
import { deferred, hostWith, keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const payload = { tool_name: 'ls', tool_input: {} };
const never = (): Promise<never> => new Promise(() => undefined);
const deaf: EventRunner = { executeHooksParallel: never, executeHooksSequential: never };

interface Parts {
  readonly runner?: EventRunner;
  readonly sequential?: boolean;
  readonly host?: Partial<HostConfig>;
  readonly bus?: MessageBus;
  readonly aggregator?: Pick<HookAggregator, 'aggregateResults'>;
  readonly deps?: HookEventHandlerDeps;
}

/** An event handler that runs these hooks for every event. */
const handlerOf = (hookConfigs: HookConfig[], parts: Parts = {}): HookEventHandler => {
  const { runner = deaf, sequential = false, host, bus, aggregator = new HookAggregator(), deps } = parts;
  const planner = { createExecutionPlan: (eventName: string) => ({ eventName, hookConfigs, sequential }) };
  return new HookEventHandler(hostWith(host), untyped(planner), runner, aggregator, bus, deps);
};

const ended = (hookConfig: HookConfig, output: object): HookExecutionResult =>
  untyped({ hookConfig, eventName: 'BeforeTool', success: true, duration: 1, outputFormat: 'json', output });

describe('the deadline of a request that brings none', () => {
  const one = { command: 'one', timeout: 10 };
  const other = { command: 'other', timeout: 20 };
  const guard = { ...other, onFault: 'deny' } as const;
  const observed = { getMode: () => 'observe' } as const;

  test.each<[title: string, ms: number, hooks: HookConfig[], concurrency: number, sequential: boolean, host: object]>([
    ['is the longest timeout where all run at once', 27, [one, other], 4, false, {}],
    ['is that for each round that the places for processes make', 47, [one, other], 1, false, {}],
    ['is the sum of the timeouts in a sequence', 37, [one, other], 4, true, {}],
    ['has a second round where a guard may be asked again', 54, [one, guard], 4, false, {}],
    ['has one after a sequence too, all at once', 64, [one, guard], 4, true, {}],
    ['has none for a guard that wants none', 27, [one, { ...guard, recheck: false }], 4, false, {}],
    ['has none where hooks are only observed', 27, [one, guard], 4, false, observed],
    ['has no time for hooks in the background', 17, [one, { ...other, background: true }], 4, false, {}],
  ])('%s: %d ms', async (_title, timeoutMs, hooks, concurrency, sequential, host) => {
    const bus = new MessageBus();
    const runner = { ...deaf, limits: { concurrency, killGraceMs: 3, drainMs: 4 } };
    handlerOf(hooks, { bus, sequential, host, runner: untyped(runner) });
    const { errors } = await requestHooks(bus, 'BeforeTool', payload);
    expect(errors[0]).toMatchObject({ code: 'deadline_exceeded', details: { timeoutMs } });
  });
});

describe('a deadline', () => {
  test('counts from the call, also while a hook holds the loop', async () => {
    const busy = fn('busy', () => {
      const until = performance.now() + 400;
      while (performance.now() < until);
    });
    const handler = (await engineOf({ hooks: { BeforeTool: groupOf(busy, fn('waits', never)) } })).getEventHandler();
    const startedAt = performance.now();
    await handler.fire('BeforeTool', payload, { timeoutMs: 600 });
    expect(performance.now() - startedAt).toBeLessThan(950);
  });

  test('longer than a timer can be is no deadline that has passed', async () => {
    const slow = fn('slow', () => sleep(5));
    const handler = (await engineOf({ hooks: { BeforeTool: groupOf(slow) } })).getEventHandler();
    expect((await handler.fire('BeforeTool', payload, { timeoutMs: 2 ** 40 })).errors).toEqual([]);
  });
});

describe('an event whose runner does not notice its end', () => {
  const quick = { type: 'runtime', name: 'quick' } as const;
  const guard = { type: 'runtime', name: 'guard', onFault: 'deny' } as const;

  test('has the results that were there, and the faults of the other hooks', async () => {
    const runner: EventRunner = {
      ...deaf,
      executeHooksParallel: (_hooks, _eventName, _input, _onStart, onEnd) => {
        onEnd?.(quick, ended(quick, { decision: 'allow' }), 0);
        return never();
      },
    };
    const { result, results } = await handlerOf([quick, guard], { runner }).fireDetailed('BeforeTool', payload, {
      timeoutMs: 10,
    });
    expect(results.map(({ code, output }) => [code, output?.decision])).toEqual([
      [undefined, 'allow'],
      ['deadline', 'deny'],
    ]);
    expect(result.finalOutput?.decision).toBe('deny');
  });

  test('in its second round has the fault of the guard, not what the guard said before', async () => {
    const rewriter = { type: 'runtime', name: 'rewriter', recheck: false } as const;
    let rounds = 0;
    const runner: EventRunner = {
      ...deaf,
      executeHooksParallel: async (_hooks, _eventName, _input, _onStart, onEnd) => {
        rounds += 1;
        if (rounds > 1) return never();
        const results = [
          ended(guard, { decision: 'allow' }),
          ended(rewriter, { hookSpecificOutput: { tool_input: { path: 'other' } } }),
        ];
        for (const [index, result] of results.entries()) onEnd?.(result.hookConfig, result, index);
        return results;
      },
    };
    const handler = handlerOf([guard, rewriter], { runner });
    const { result, results } = await handler.fireDetailed('BeforeTool', payload, { timeoutMs: 10 });
    expect(results.map(({ code, recheck }) => [code, recheck])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ['deadline', true],
    ]);
    expect(result.finalOutput?.decision).toBe('deny');
  });

  test('has what it says within a moment', async () => {
    const runner: EventRunner = {
      ...deaf,
      executeHooksParallel: (_hooks, _eventName, _input, _onStart, _onEnd, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => {
            setTimeout(() => resolve([ended(quick, { decision: 'deny', reason: 'late' })]), 10);
          });
        }),
    };
    const { finalOutput, errors } = await handlerOf([quick], { runner }).fire('BeforeTool', payload, { timeoutMs: 10 });
    expect(finalOutput).toMatchObject({ decision: 'deny', reason: 'late' });
    expect(errors).toMatchObject([{ code: 'deadline_exceeded' }]);
  });

  test('leaves hooks in the background to run on', async () => {
    const background = { command: 'later', background: true };
    const handler = handlerOf([guard, background]);
    const { results } = await handler.fireDetailed('BeforeTool', payload, { timeoutMs: 10 });
    expect(results.map(({ code, background: isOne }) => [code, isOne])).toEqual([
      ['deadline', undefined],
      [undefined, true],
    ]);
  });
});

describe('an event that was answered', () => {
  test.each([
    ['at once', () => undefined],
    ['later', () => sleep(2)],
  ])('%s leaves no listener on the signal of its caller', async (_title, action) => {
    const handler = (await engineOf({ hooks: { BeforeTool: groupOf(fn('one', action)) } })).getEventHandler();
    const { signal } = new AbortController();
    await handler.fire('BeforeTool', payload, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const gate = deferred();
    const handler = (
      await engineOf({ hooks: { BeforeTool: groupOf(fn('one', () => gate.promise)) } })
    ).getEventHandler();
    const before = vi.getTimerCount();
    const firing = handler.fire('BeforeTool', payload, { timeoutMs: 60_000 });
    expect(vi.getTimerCount()).toBeGreaterThan(before);
    gate.resolve();
    await firing;
    expect(vi.getTimerCount()).toBe(before);
  });

  test('while its hooks were loaded leaves its id to the next request', async () => {
    const gate = deferred();
    const getHooks = () => gate.promise.then(() => ({ BeforeTool: groupOf(answers('one', { decision: 'allow' })) }));
    const { bus, responses, answerTo } = engineOnBus({ host: { getHooks: untyped(getHooks) } });
    bus.publish({ ...requestFor('a'), timeoutMs: 10 });
    expect((await answerTo('a')).error?.code).toBe('deadline_exceeded');
    gate.resolve();
    await sleep(5);
    bus.publish(requestFor('a'));
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    expect(responses[1]).toMatchObject({ success: true, output: { decision: 'allow' } });
  });
});

test('a signal that a hook reads after the end of its event has aborted', async () => {
  const gate = deferred();
  const read: boolean[] = [];
  const late = fn('late', async (_input, context) => {
    await gate.promise;
    read.push(context.signal.aborted);
  });
  const { bus, answerTo } = engineOnBus({ hooks: { BeforeTool: groupOf(late) } });
  bus.publish(requestFor('a'));
  await sleep(5);
  bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'a' });
  expect((await answerTo('a')).error?.code).toBe('cancelled');
  gate.resolve();
  await vi.waitFor(() => expect(read).toEqual([true]));
});

test('a signal that a hook reads for the first time when it has ended its event itself says why', async () => {
  const caller = new AbortController();
  const read: unknown[] = [];
  const own = fn('own', (_input, context) => {
    caller.abort();
    read.push(context.signal.reason);
  });
  const handler = (await engineOf({ hooks: { BeforeTool: groupOf(own) } })).getEventHandler();
  await handler.fire('BeforeTool', payload, { signal: caller.signal });
  expect(read).toMatchObject([{ code: 'cancelled' }]);
});

describe('an event that fails before its hooks start', () => {
  const guard = { type: 'runtime', name: 'guard', onFault: 'deny' } as const;
  const other = { type: 'runtime', name: 'other', onFault: 'allow' } as const;
  const unreadable = { tool_name: 'ls', tool_input: { at: new Date(0) } };

  test.each([
    ['threw', unreadable, {}],
    ['cancelled', payload, { signal: AbortSignal.abort() }],
  ] as const)('has the fault %s of each guard, and of no other hook', async (fault, given, options) => {
    const { result, results } = await handlerOf([other, guard]).fireDetailed('BeforeTool', given, options);
    expect(results.map(({ hookConfig, code }) => [hookConfig.name, code])).toEqual([['guard', fault]]);
    expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
  });

  test('is a warning in the log, and no line as if hooks had run', async () => {
    const { logger, debug, warn } = keepLines();
    await handlerOf([other], { deps: { logger } }).fire('BeforeTool', unreadable);
    expect(debug).toEqual([]);
    expect(warn).toEqual([expect.stringContaining('BeforeTool could not be fired as it should')]);
  });

  test('is not denied where hooks are only observed', async () => {
    const handler = handlerOf([guard], { host: { getMode: () => 'observe' } });
    const { result, results } = await handler.fireDetailed('BeforeTool', unreadable);
    expect([results.map(({ code }) => code), result.finalOutput]).toEqual([['threw'], undefined]);
  });

  test('and once more when it is merged is a failure with the first reason', async () => {
    let failures = 0;
    const aggregateResults = (): never => {
      failures += 1;
      throw new Error(`failure ${failures}`);
    };
    const runner = { ...deaf, executeHooksParallel: async () => [ended(guard, { decision: 'allow' })] };
    const { errors, success } = await handlerOf([guard], { runner, aggregator: { aggregateResults } }).fire(
      'BeforeTool',
      payload,
    );
    expect([success, errors.map(({ message }) => message)]).toEqual([false, ['failure 1']]);
    expect(failures).toBe(2);
  });
});

test.each([
  ['at once', groupOf, ['slow starts', 'quick starts', 'quick ends', 'slow ends']],
  ['in a sequence', inSequence, ['slow starts', 'slow ends', 'quick starts', 'quick ends']],
] as const)(
  'hooks that run %s are told of as they start and end; their results stand in their order',
  async (_title, grouped, expected) => {
    const told: string[] = [];
    const events = {
      onHookStart: ({ hookName }: { hookName: string }) => told.push(`${hookName} starts`),
      onHookEnd: ({ hookName }: { hookName: string }) => told.push(`${hookName} ends`),
    };
    const slow = fn('slow', () => sleep(20).then(() => ({ decision: 'allow' })));
    const quick = answers('quick', { decision: 'deny' });
    const system = await engineOf({ hooks: { BeforeTool: grouped(slow, quick) }, deps: { events } });
    const { results } = await system.getEventHandler().fireDetailed('BeforeTool', payload);
    expect(results.map(({ hookConfig, output }) => [hookConfig.name, output?.decision])).toEqual([
      ['slow', 'allow'],
      ['quick', 'deny'],
    ]);
    expect(told).toEqual(expected);
  },
);
