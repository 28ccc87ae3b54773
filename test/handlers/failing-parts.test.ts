import { describe, expect, test } from 'vitest';
import {
  type AggregatedHookResult,
  type DetailedResult,
  type EventAggregator,
  type EventPlanner,
  type EventRunner,
  HookAggregator,
  type HookConfig,
  HookEventHandler,
  type HookEventHandlerDeps,
  type HookExecutionPlan,
  type HookExecutionResult,
  HookRunner,
  HookwrightError,
  MessageBus,
} from '../../src/index.ts';
import { answers, engineOf, fn, groupOf, hangs, heard, llmRequest, llmResponse, sleep } from '../support/engine.ts';
import { hostWith, keepLines } from '../support/host.ts';
import { nested, untyped, withHostileMember } from '../support/untyped.ts';

describe('C04 R232 R233 a part of the engine that fails never makes a fire method reject', () => {
  const throws = (): never => {
    throw new Error('out of order');
  };
  const rejects = (): Promise<never> => Promise.reject(new Error('out of order'));
  const hook: HookConfig = { command: 'c' };
  const plan = { eventName: 'BeforeTool', hookConfigs: [hook], sequential: false } as const;
  const healthy = { hookConfig: hook, eventName: 'BeforeTool', success: true, duration: 1, output: {} };
  const goodPlanner = { createExecutionPlan: () => plan };
  const goodRunner = { executeHooksParallel: async () => [healthy], executeHooksSequential: async () => [healthy] };
  const goodAggregator = new HookAggregator();

  type Parts = { config?: object; planner?: object; runner?: object; aggregator?: object; deps?: HookEventHandlerDeps };

  const cases: [title: string, parts: Parts][] = [
    ['a planner that throws', { planner: { createExecutionPlan: throws } }],
    ['a planner that gives nonsense', { planner: { createExecutionPlan: () => ({}) } }],
    ['a planner that gives a string', { planner: { createExecutionPlan: () => 'run it' } }],
    ['a planner without its method', { planner: {} }],
    ['a runner that throws', { runner: { executeHooksParallel: throws } }],
    ['a runner that rejects', { runner: { executeHooksParallel: rejects } }],
    ['a runner that rejects with nothing', { runner: { executeHooksParallel: () => Promise.reject() } }],
    ['a runner that gives no promise', { runner: { executeHooksParallel: () => undefined } }],
    ['a runner that promises nonsense', { runner: { executeHooksParallel: async () => 7 } }],
    ['a runner that promises nothing', { runner: { executeHooksParallel: async () => undefined } }],
    ['a runner that promises holes', { runner: { executeHooksParallel: async () => new Array(1) } }],
    ['a runner without its method', { runner: {} }],
    ['an aggregator that throws', { aggregator: { aggregateResults: throws } }],
    ['an aggregator that gives nothing', { aggregator: { aggregateResults: () => undefined } }],
    ['a config that throws', { config: hostWith({ getSessionId: throws }) }],
    ['a config without its methods', { config: {} }],
    ['a load that throws', { deps: { ready: throws } }],
    ['a load that rejects', { deps: { ready: rejects } }],
  ];

  const handlerOf = ({ config, planner, runner, aggregator, deps }: Parts, bus?: MessageBus): HookEventHandler =>
    new HookEventHandler(
      untyped(config ?? hostWith()),
      untyped<EventPlanner>(planner ?? goodPlanner),
      untyped<EventRunner>(runner ?? goodRunner),
      untyped<EventAggregator>(aggregator ?? goodAggregator),
      bus,
      deps,
    );

  const expectFailure = (result: AggregatedHookResult): void => {
    expect(result).toMatchObject({ success: false, finalOutput: undefined, allOutputs: [] });
    expect(HookwrightError.is(result.errors[0])).toBe(true);
    expect(result.errors[0]).toMatchObject({ code: 'internal_error' });
  };

  test.each(cases)('%s', async (_title, parts) => {
    const { logger, warn } = keepLines();
    const handler = handlerOf({ ...parts, deps: { ...parts.deps, logger } });
    const firing = handler.fireBeforeToolEvent('ls', {});
    await expect(firing).resolves.toBeDefined();
    expectFailure(await firing);
    expect(warn).toEqual([expect.stringContaining('BeforeTool could not be fired as it should: ')]);
  });

  test.each(cases)('%s, with a deadline', async (_title, parts) => {
    const payload = { tool_name: 'ls', tool_input: {} };
    expectFailure(await handlerOf(parts).fire('BeforeTool', payload, { timeoutMs: 1_000 }));
  });

  test.each(cases)('%s, while somebody listens', async (_title, parts) => {
    const bus = new MessageBus();
    const handler = handlerOf(parts, bus);
    const responses = heard(bus, 'hook-execution-response');
    expectFailure(await handler.fireBeforeToolEvent('ls', {}));
    expect(responses).toMatchObject([{ success: false, error: { code: 'internal_error' }, handledBy: handler.id }]);
  });

  test('F38 a runner that never settles is answered for at the deadline', async () => {
    const runner = { executeHooksParallel: () => new Promise(() => {}) };
    const { result, results, error }: DetailedResult<'BeforeTool'> = await handlerOf({ runner }).fireDetailed(
      'BeforeTool',
      { tool_name: 'ls', tool_input: {} },
      { timeoutMs: 20 },
    );
    expect(error?.code).toBe('deadline_exceeded');
    expect(results).toMatchObject([{ code: 'deadline' }]);
    expect(result.success).toBe(false);
  });

  test('a runner that ignores the deadline keeps what it had told of', async () => {
    const executeHooksParallel: EventRunner['executeHooksParallel'] = (hooks, eventName, _input, _onStart, onEnd) => {
      const blocked: HookExecutionResult = {
        hookConfig: hooks[0] ?? hook,
        eventName,
        success: true,
        duration: 1,
        output: { decision: 'block', reason: 'told in time' },
        outputFormat: 'json',
      };
      onEnd?.(hook, blocked, 0);
      return new Promise(() => {});
    };
    const payload = { tool_name: 'ls', tool_input: {} };
    const result = await handlerOf({ runner: { executeHooksParallel } }).fire('BeforeTool', payload, { timeoutMs: 20 });
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'told in time' });
  });

  test('a healthy engine of the same duck-typed parts answers', async () => {
    expect(await handlerOf({}).fireBeforeToolEvent('ls', {})).toMatchObject({ success: true, allOutputs: [{}] });
  });
});

describe('what the runner is called with', () => {
  const calls: { method: string; args: unknown[] }[] = [];
  const recording =
    (method: string) =>
    (...args: unknown[]) => {
      calls.push({ method, args });
      const hooks = untyped<HookConfig[]>(args[0]);
      return Promise.resolve(
        hooks.map((hookConfig) => ({ hookConfig, eventName: 'BeforeTool', success: true, duration: 0 })),
      );
    };
  const runner = untyped<EventRunner>({
    executeHooksParallel: recording('parallel'),
    executeHooksSequential: recording('sequential'),
  });
  const handlerFor = (sequential: boolean, bus?: MessageBus): HookEventHandler => {
    calls.length = 0;
    const plan: HookExecutionPlan = { eventName: 'BeforeTool', hookConfigs: [{ command: 'c' }], sequential };
    return new HookEventHandler(hostWith(), { createExecutionPlan: () => plan }, runner, new HookAggregator(), bus);
  };

  test.each([
    [false, 'parallel'],
    [true, 'sequential'],
  ])('R230 a plan whose sequential is %j runs %s', async (sequential, method) => {
    await handlerFor(sequential).fireBeforeToolEvent('ls', { all: true });
    expect(calls).toHaveLength(1);
    const [call] = calls;
    expect(call?.method).toBe(method);
    expect(call?.args).toHaveLength(5);
    const [hooks, eventName, input, onStart, onEnd] = call?.args ?? [];
    expect(hooks).toEqual([{ command: 'c' }]);
    expect(eventName).toBe('BeforeTool');
    expect(input).toMatchObject({ tool_name: 'ls', tool_input: { all: true }, hook_event_name: 'BeforeTool' });
    expect([typeof onStart, typeof onEnd]).toEqual(['function', 'function']);
  });

  test('a signal is the sixth argument only of a call that can be cancelled or timed', async () => {
    const payload = { tool_name: 'ls', tool_input: {} };
    const handler = handlerFor(false);
    await handler.fire('BeforeTool', payload);
    await handler.fire('BeforeTool', payload, {});
    await handler.fire('BeforeTool', payload, { timeoutMs: 1_000 });
    await handler.fire('BeforeTool', payload, { signal: new AbortController().signal });
    expect(calls.map(({ args }) => args.length)).toEqual([5, 5, 6, 6]);
    expect(calls.slice(2).every(({ args }) => args[5] instanceof AbortSignal)).toBe(true);
  });

  test('a request over the bus always has a signal', async () => {
    const bus = new MessageBus();
    handlerFor(false, bus);
    const payload = { tool_name: 'ls', tool_input: {} };
    const request = { type: 'hook-execution-request', correlationId: 'a', eventName: 'BeforeTool', payload } as const;
    await bus.request(request, 'hook-execution-response');
    expect(calls.map(({ args }) => args.length)).toEqual([6]);
    expect(calls[0]?.args[5]).toBeInstanceOf(AbortSignal);
  });

  test('R227 R228 the planner is given the tool name for tools, the trigger for sessions, nothing for models', async () => {
    const asked: unknown[][] = [];
    const planner = untyped<EventPlanner>({
      createExecutionPlan: (...args: unknown[]) => {
        asked.push(args);
        return null;
      },
    });
    const handler = new HookEventHandler(hostWith(), planner, new HookRunner(hostWith()), new HookAggregator());
    await handler.fireBeforeToolEvent('ls', {});
    await handler.fireAfterToolEvent('rm', {}, 'x');
    await handler.fireSessionStartEvent('resume');
    await handler.fireSessionEndEvent('exit');
    await handler.firePreCompressEvent('auto');
    await handler.fireBeforeModelEvent(llmRequest);
    await handler.fireAfterModelEvent(llmRequest, llmResponse);
    await handler.fireBeforeToolSelectionEvent(llmRequest);
    await handler.fireBeforeAgentEvent('hi');
    expect(asked).toEqual([
      ['BeforeTool', { toolName: 'ls' }],
      ['AfterTool', { toolName: 'rm' }],
      ['SessionStart', { trigger: 'resume' }],
      ['SessionEnd', { trigger: 'exit' }],
      ['PreCompress', { trigger: 'auto' }],
      ['BeforeModel', undefined],
      ['AfterModel', undefined],
      ['BeforeToolSelection', undefined],
      ['BeforeAgent', undefined],
    ]);
  });
});

describe('after dispose', () => {
  test('F72 calls are refused, and those under way are answered with what had finished', async () => {
    const hooks = { BeforeTool: groupOf(answers('blocks', { decision: 'block', reason: 'no' }), hangs('hangs')) };
    const system = await engineOf({ hooks });
    const handler = system.getEventHandler();
    const payload = { tool_name: 'ls', tool_input: {} };
    const direct = handler.fire('BeforeTool', payload, { timeoutMs: 5_000 });
    await sleep(2);
    await Promise.all([system.dispose(), system.dispose(), handler.dispose()]);
    const result = await direct;
    expect(result.errors[0]).toMatchObject({ code: 'disposed' });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(await handler.fire('BeforeTool', payload)).toMatchObject({ success: false, errors: [{ code: 'disposed' }] });
    await system.dispose();
  });

  test('R1820 a guard that can no longer judge an event obeys its onFault', async () => {
    const guard = { ...answers('guard', {}), onFault: 'deny' } as const;
    const system = await engineOf({ hooks: { AfterTool: groupOf(guard), BeforeModel: groupOf(guard) } });
    await system.dispose();
    const payload = { tool_name: 'ls', tool_input: {}, tool_response: {} };
    const { finalOutput, errors } = await system.getEventHandler().fire('AfterTool', payload);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(errors[0]).toMatchObject({ code: 'disposed' });
    const unguarded = await system.getEventHandler().fire('BeforeTool', payload);
    expect(unguarded.finalOutput).toBeUndefined();
  });

  test('a plain call under way is ended too', async () => {
    const system = await engineOf({ hooks: { BeforeAgent: groupOf(hangs('hangs')) } });
    const direct = system.getEventHandler().fireBeforeAgentEvent('hi');
    await sleep(2);
    await system.dispose();
    const result = await Promise.race([direct, sleep(2_000)]);
    expect(result).toMatchObject({ success: false });
  });

  test('from within a hook is fine', async () => {
    let dispose: (() => Promise<void>) | undefined;
    const system = await engineOf({ hooks: { BeforeAgent: groupOf(fn('ends', async () => dispose?.())) } });
    dispose = () => system.dispose();
    const result = await Promise.race([system.getEventHandler().fireBeforeAgentEvent('hi'), sleep(2_000)]);
    expect(result).toBeDefined();
  });
});

describe('a bad payload of a direct call', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  test.each<[title: string, payload: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'ls'],
    ['without a name', { tool_input: {} }],
    ['with arguments that are no object', { tool_name: 'ls', tool_input: 'all' }],
    ['a cycle', { tool_name: 'ls', tool_input: cyclic }],
    ['a BigInt', { tool_name: 'ls', tool_input: { n: 1n } }],
    ['a function', { tool_name: 'ls', tool_input: { f: () => 1 } }],
    ['101 levels', { tool_name: 'ls', tool_input: nested(101, {}) }],
    ['a getter that throws', { tool_name: 'ls', tool_input: withHostileMember({}, 'x') }],
    ['a name that throws', withHostileMember({ tool_input: {} }, 'tool_name')],
  ])('%s: is refused, watched or not, and no hook runs', async (_title, payload) => {
    let runs = 0;
    const hook = fn('a', () => {
      runs += 1;
    });
    const { logger, warn } = keepLines();
    const system = await engineOf({ hooks: { BeforeTool: groupOf(hook) }, deps: { logger } });
    const result = await system.getEventHandler().fire('BeforeTool', untyped(payload));
    expect(result).toMatchObject({ success: false, finalOutput: undefined, allOutputs: [] });
    expect(result.errors).toHaveLength(1);
    expect(HookwrightError.is(result.errors[0])).toBe(true);
    expect(warn).toHaveLength(1);
    expect(warn[0]).toContain('BeforeTool could not be fired');
    expect(runs).toBe(0);
  });

  test.each(['PreToolUse', '', '__proto__', undefined, null, 7])('an event called %j is refused', async (eventName) => {
    const handler = (await engineOf()).getEventHandler();
    const result = await handler.fire(untyped<'BeforeTool'>(eventName), { tool_name: 'ls', tool_input: {} });
    expect(result).toMatchObject({ success: false, errors: [{ code: 'unsupported_event' }] });
  });
});
