import { describe, expect, test } from 'vitest';
import {
  type HookCall,
  type HookExecutionTrace,
  type HookNotice,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../src/index.ts';
import { skipReasons } from '../../src/protocol/index.ts';
import { captureTraffic, type Traffic } from '../../src/testing/index.ts';
import {
  answers,
  engineOf,
  engineOnBus,
  fn,
  groupOf,
  hangs,
  heard,
  inSequence,
  llmRequest,
  requestFor,
  sleep,
  systemOn,
} from '../support/engine.ts';
import { commands, deferred, group, keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const boom = fn('boom', () => {
  throw new Error('boom');
});

/** What went over a bus, each message by its type and id. */
const orderOf = (traffic: Traffic): string[] =>
  traffic.messages.map(({ type, correlationId }) => `${type} ${correlationId}`);

/** The trace of one BeforeTool event with these options. */
const traceOf = async (
  options: Parameters<typeof engineOf>[0],
  toolName = 'ls',
  fireOptions: { timeoutMs?: number } = {},
): Promise<HookExecutionTrace> => {
  const traces: HookExecutionTrace[] = [];
  const system = await engineOf({ ...options, deps: { ...options?.deps, onTrace: (trace) => traces.push(trace) } });
  await system.getEventHandler().fire('BeforeTool', { tool_name: toolName, tool_input: {} }, fireOptions);
  expect(traces).toHaveLength(1);
  return traces[0] ?? expect.unreachable();
};

describe('the trace of an event', () => {
  test('has one row per configured hook, in order, with what became of it and of every field', async () => {
    const hooks = {
      BeforeTool: [
        group([answers('first', { decision: 'allow', reason: 'fine', flavour: 'x' }), answers('silent', {})]),
        group([answers('elsewhere', {})], { matcher: 'rm' }),
        group([answers('denies', { decision: 'deny', reason: 'no' }), boom, answers('off', {})]),
      ],
    };
    const trace = await traceOf({ hooks, host: { getDisabledHooks: () => ['off'] } });
    expect(trace).toEqual({
      type: 'hook-execution-trace',
      correlationId: expect.stringMatching(/^[\w-]{21}$/),
      eventName: 'BeforeTool',
      subject: 'ls',
      mode: 'parallel',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      durationMs: expect.any(Number),
      rows: expect.any(Array),
    });
    const base = { eventName: 'BeforeTool', source: { kind: 'project' } };
    const ran = { ...base, planned: 'run', startedAt: expect.any(String), durationMs: expect.any(Number) };
    expect(trace.rows).toEqual([
      {
        ...ran,
        hookId: 'project/BeforeTool/first',
        name: 'first',
        outcome: 'answered',
        output: { decision: 'allow', reason: 'fine', flavour: 'x' },
        fields: {
          decision: { fate: 'overridden', by: 'project/BeforeTool/denies' },
          reason: { fate: 'overridden', by: 'project/BeforeTool/denies' },
          flavour: { fate: 'unsupported', note: expect.any(String) },
        },
      },
      { ...ran, hookId: 'project/BeforeTool/silent', name: 'silent', outcome: 'silent', output: {}, fields: {} },
      {
        ...base,
        hookId: 'project/BeforeTool/elsewhere',
        name: 'elsewhere',
        matcher: 'rm',
        planned: 'skip',
        reason: 'matcher-mismatch',
        reasons: ['matcher-mismatch'],
        hint: skipReasons['matcher-mismatch'],
      },
      {
        ...ran,
        hookId: 'project/BeforeTool/denies',
        name: 'denies',
        outcome: 'answered',
        output: { decision: 'deny', reason: 'no' },
        fields: { decision: { fate: 'applied' }, reason: { fate: 'applied' } },
      },
      {
        ...ran,
        hookId: 'project/BeforeTool/boom',
        name: 'boom',
        outcome: 'faulted',
        code: 'threw',
        message: 'boom',
        fields: {},
      },
      {
        ...base,
        hookId: 'project/BeforeTool/off',
        name: 'off',
        planned: 'skip',
        reason: 'disabled',
        reasons: ['disabled'],
        hint: skipReasons.disabled,
      },
    ]);
  });

  test('is plain JSON: it crosses a process unchanged', async () => {
    const trace = await traceOf({ hooks: { BeforeTool: groupOf(answers('a', { decision: 'ask' }), boom) } });
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
  });

  test('says planned, reason and order exactly as explain does', async () => {
    const hooks = {
      BeforeTool: [group([answers('a', {})], { matcher: 'ls' }), group([answers('b', {})], { matcher: 'rm' })],
    };
    const system = await engineOf({ hooks });
    const traces: HookExecutionTrace[] = [];
    const traced = await engineOf({ hooks, deps: { onTrace: (trace) => traces.push(trace) } });
    for (const toolName of ['ls', 'rm', 'cat']) {
      traces.length = 0;
      await traced.getEventHandler().fireBeforeToolEvent(toolName, {});
      const told = traces[0]?.rows.map(({ hookId, planned, reason, reasons }) => ({
        hookId,
        planned,
        reason,
        reasons,
      }));
      const explained = await system.explain('BeforeTool', { toolName });
      expect(told).toEqual(
        explained.map(({ hookId, planned, reason, reasons }) => ({ hookId, planned, reason, reasons })),
      );
    }
  });

  test('of nothing to run has the mode none and still every row', async () => {
    const trace = await traceOf({ hooks: { BeforeTool: [group([answers('a', {})], { matcher: 'rm' })] } });
    expect(trace).toMatchObject({ mode: 'none', rows: [{ name: 'a', planned: 'skip', reason: 'matcher-mismatch' }] });
    expect(await traceOf({})).toMatchObject({ mode: 'none', rows: [] });
    expect(
      await traceOf({ hooks: { BeforeTool: groupOf(answers('a', {})) }, host: { getEnableHooks: () => false } }),
    ).toMatchObject({
      mode: 'none',
      rows: [{ reason: 'hooks-disabled' }],
    });
  });

  test('of a sequential plan says so', async () => {
    const trace = await traceOf({ hooks: { BeforeTool: inSequence(answers('a', {}), answers('b', {})) } });
    expect(trace).toMatchObject({ mode: 'sequential', rows: [{ outcome: 'silent' }, { outcome: 'silent' }] });
  });

  test.each<[title: string, answer: unknown, row: object]>([
    ['nothing', undefined, { outcome: 'silent' }],
    ['null', null, { outcome: 'silent' }],
    ['an empty answer', {}, { outcome: 'silent' }],
    ['an opinion', { decision: 'allow' }, { outcome: 'answered', fields: { decision: { fate: 'applied' } } }],
    ['context alone', { hookSpecificOutput: { additionalContext: 'c' } }, { outcome: 'answered' }],
    ['a message alone', { systemMessage: 'm' }, { outcome: 'answered' }],
    [
      'no object',
      'text',
      { outcome: 'faulted', code: 'malformed-output', warnings: [{ message: expect.stringContaining('"text"') }] },
    ],
    ['a list', [1], { outcome: 'faulted', code: 'malformed-output' }],
    [
      'a lost verdict',
      { decision: 'alow' },
      { outcome: 'faulted', code: 'malformed-output', fields: { decision: { fate: 'malformed' } } },
    ],
    [
      'a malformed field',
      { reason: 7, decision: 'deny' },
      { outcome: 'answered', fields: { reason: { fate: 'malformed' }, decision: { fate: 'applied' } } },
    ],
    [
      'a field for another event',
      { hookSpecificOutput: { clearContext: true } },
      { outcome: 'answered', fields: { 'hookSpecificOutput.clearContext': { fate: 'unsupported' } } },
    ],
    ['a rejection', new Error('late'), { outcome: 'faulted', code: 'threw' }],
  ])('tells an answer of %s', async (_title, answer, row) => {
    const hook = answer instanceof Error ? fn('a', () => Promise.reject(answer)) : answers('a', answer);
    const { rows } = await traceOf({ hooks: { BeforeTool: groupOf(hook) } });
    expect(rows).toMatchObject([row]);
  });

  test('tells what a deadline cut off', async () => {
    const trace = await traceOf({ hooks: { BeforeTool: groupOf(hangs('a'), answers('b', {})) } }, 'ls', {
      timeoutMs: 20,
    });
    expect(trace.rows).toMatchObject([{ outcome: 'faulted', code: 'deadline' }, { outcome: 'silent' }]);
  });

  test('F41 tells a matcher that took too long, whose hook was not started, and onFault decides', async () => {
    let runs = 0;
    const hook = fn('guard', () => {
      runs += 1;
    });
    const hooks = { BeforeTool: [group([{ ...hook, onFault: 'deny' }], { matcher: '(a+)+$' })] };
    const system = await engineOf({ hooks });
    const toolName = `${'a'.repeat(40)}!`;
    const result = await system.getEventHandler().fireBeforeToolEvent(toolName, {});
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(runs).toBe(0);
    expect(await traceOf({ hooks }, toolName)).toMatchObject({
      rows: [{ planned: 'run', outcome: 'faulted', code: 'matcher-timeout' }],
    });
  });

  test('P4 an engine for expressions that throws costs no other hook its run, and its own obeys onFault', async () => {
    const matchRegex = (): never => {
      throw new Error('engine out of order');
    };
    const asks = { ...answers('asks', {}), onFault: 'ask' } as const;
    const hooks = { BeforeTool: [group([asks], { matcher: '^x$' }), group([answers('guard', { decision: 'deny' })])] };
    const system = await engineOf({ hooks, deps: { matchRegex } });
    const payload = { tool_name: 'ls', tool_input: {} };
    const { result, results } = await system.getEventHandler().fireDetailed('BeforeTool', payload);
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(results).toMatchObject([{ code: 'matcher-timeout', output: { decision: 'ask' } }, { success: true }]);
    expect(results[0]?.error?.message).toContain('engine out of order');
  });

  test('keeps to the plan when hooks are changed while they run', async () => {
    const traces: HookExecutionTrace[] = [];
    let change: () => void = () => {};
    const first = fn('first', () => {
      change();
      return { systemMessage: 'one' };
    });
    const hooks = { BeforeTool: inSequence(first, answers('second', { systemMessage: 'two' })) };
    const system = await engineOf({ hooks, deps: { onTrace: (trace) => traces.push(trace) } });
    change = () => {
      system.setHookEnabled('first', false);
      system.registerHook(answers('added', {}), 'BeforeTool');
    };
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(traces[0]?.rows.map((row) => [row.name, row.planned, row.output?.systemMessage])).toEqual([
      ['first', 'run', 'one'],
      ['second', 'run', 'two'],
    ]);
  });

  test('is told on the bus under the id of the request, before the response', async () => {
    const { bus, answerTo } = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', {})) } });
    const traffic = captureTraffic(bus);
    bus.publish(requestFor('a'));
    await answerTo('a');
    expect(orderOf(traffic)).toEqual([
      'hook-execution-request a',
      'hook-started a',
      'hook-finished a',
      'hook-execution-trace a',
      'hook-execution-response a',
    ]);
  });
});

describe('progress', () => {
  test('is told hook by hook, with its place from 1', async () => {
    const { bus, answerTo } = engineOnBus({
      hooks: { BeforeTool: groupOf(answers('a', { decision: 'allow' }), boom) },
      host: { getUserHooks: () => ({ BeforeTool: groupOf(answers('u', undefined)) }) },
    });
    const started = heard(bus, MessageBusType.HOOK_STARTED);
    const finished = heard(bus, MessageBusType.HOOK_FINISHED);
    bus.publish(requestFor('id'));
    await answerTo('id');
    const base = { correlationId: 'id', eventName: 'BeforeTool', total: 3 };
    const places = [
      { hookId: 'project/BeforeTool/a', hookName: 'a', source: 'project', position: 1 },
      { hookId: 'project/BeforeTool/boom', hookName: 'boom', source: 'project', position: 2 },
      { hookId: 'user/BeforeTool/u', hookName: 'u', source: 'user', position: 3 },
    ];
    const outcomes = [{ outcome: 'answered' }, { outcome: 'faulted', code: 'threw' }, { outcome: 'silent' }];
    expect(started).toEqual(places.map((place) => ({ type: 'hook-started', ...base, ...place })));
    expect(finished).toEqual(
      places.map((place, index) => ({
        type: 'hook-finished',
        ...base,
        ...place,
        ...outcomes[index],
        durationMs: expect.any(Number),
      })),
    );
  });

  test('of skipped hooks is not told', async () => {
    const { bus, answerTo } = engineOnBus({ hooks: { BeforeTool: [group([answers('a', {})], { matcher: 'rm' })] } });
    const messages = heard(bus, MessageBusType.HOOK_STARTED);
    bus.publish(requestFor('id'));
    await answerTo('id');
    expect(messages).toEqual([]);
  });

  test('C28b system messages are told as they come, and nothing is printed', async () => {
    const { bus, answerTo } = engineOnBus({
      hooks: { BeforeTool: groupOf(answers('a', { systemMessage: 'look here' }), answers('b', {})) },
    });
    const messages = heard(bus, MessageBusType.HOOK_SYSTEM_MESSAGE);
    bus.publish(requestFor('id'));
    await answerTo('id');
    expect(messages).toEqual([
      {
        type: 'hook-system-message',
        correlationId: 'id',
        eventName: 'BeforeTool',
        hookId: 'project/BeforeTool/a',
        hookName: 'a',
        message: 'look here',
      },
    ]);
  });
});

describe('callbacks of a host without a bus', () => {
  test('R334 hear of every start, end and message; telemetry of every result', async () => {
    const starts: HookNotice[] = [];
    const ends: HookCall[] = [];
    const calls: HookCall[] = [];
    const messages: string[] = [];
    const system = await engineOf({
      hooks: { BeforeTool: groupOf(answers('a', { decision: 'deny', systemMessage: 'm' }), boom) },
      deps: {
        telemetry: (call) => calls.push(call),
        events: {
          onHookStart: (notice) => starts.push(notice),
          onHookEnd: (call) => ends.push(call),
          onSystemMessage: ({ hookName, message }) => messages.push(`${hookName}: ${message}`),
        },
      },
    });
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(starts).toMatchObject([
      { eventName: 'BeforeTool', hookId: 'project/BeforeTool/a', hookName: 'a', position: 1, total: 2 },
      { hookName: 'boom', position: 2, total: 2 },
    ]);
    expect(calls).toMatchObject([
      { hookName: 'a', outcome: 'answered', success: true, durationMs: expect.any(Number) },
      { hookName: 'boom', outcome: 'faulted', code: 'threw', success: false },
    ]);
    expect(calls[0]).not.toHaveProperty('code');
    expect(ends).toEqual(calls);
    expect(messages).toEqual(['a: m']);
  });

  test('feedback tells a person once what failed, and once per request of a model', async () => {
    const told: string[] = [];
    const deps = { events: { onFeedback: ({ message }: { message: string }) => told.push(message) } };
    const hooks = {
      BeforeTool: groupOf(boom, { ...boom, name: 'bang' }, answers('fine', { decision: 'deny' })),
      AfterModel: groupOf(boom),
    };
    const handler = (await engineOf({ hooks, deps })).getEventHandler();
    await handler.fireBeforeToolEvent('ls', {});
    expect(told).toEqual(['BeforeTool: 2 hooks failed: "boom" (threw), "bang" (threw)']);
    told.length = 0;
    const chunk = { candidates: [] };
    await handler.fireAfterModelEvent(llmRequest, chunk);
    await handler.fireAfterModelEvent(llmRequest, chunk);
    await handler.fireAfterModelEvent({ ...llmRequest }, chunk);
    expect(told).toEqual(['AfterModel: a hook failed: "boom" (threw)', 'AfterModel: a hook failed: "boom" (threw)']);
  });

  const throws = (): never => {
    throw new Error('observer out of order');
  };
  const observers = [
    ['onHookStart', { events: { onHookStart: throws } }],
    ['onHookEnd', { events: { onHookEnd: throws } }],
    ['onSystemMessage', { events: { onSystemMessage: throws } }],
    ['onFeedback', { events: { onFeedback: throws } }],
    ['telemetry', { telemetry: throws }],
    ['onTrace', { onTrace: throws }],
  ] as const;

  test.each(observers)('%s that throws disturbs nothing and is told to the log', async (name, deps) => {
    const { logger, warn } = keepLines();
    const hooks = { BeforeTool: groupOf(answers('a', { decision: 'deny', systemMessage: 'm' }), boom) };
    const system = await engineOf({ hooks, deps: { ...deps, logger } });
    const result = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
    expect(warn.length).toBeGreaterThan(0);
    expect(
      warn.every((line) => line === `[hookwright:handler] ${name} threw and was ignored: observer out of order`),
    ).toBe(true);
  });

  const rejects = (): Promise<never> => Promise.reject(new Error('observer out of order'));
  const late = [
    ['onHookStart', { events: { onHookStart: rejects } }],
    ['onHookEnd', { events: { onHookEnd: rejects } }],
    ['onSystemMessage', { events: { onSystemMessage: rejects } }],
    ['onFeedback', { events: { onFeedback: rejects } }],
    ['telemetry', { telemetry: rejects }],
    ['onTrace', { onTrace: rejects }],
  ] as const;

  test.each(late)('P2 %s that is async and rejects does not end the host', async (name, deps) => {
    const { logger, warn } = keepLines();
    const hooks = { BeforeTool: groupOf(answers('a', { decision: 'deny', systemMessage: 'm' }), boom) };
    const system = await engineOf({ hooks, deps: { ...deps, logger } });
    const result = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
    await sleep(1);
    expect(warn.length).toBeGreaterThan(0);
    expect(
      warn.every((line) => line === `[hookwright:handler] ${name} threw and was ignored: observer out of order`),
    ).toBe(true);
  });

  test('P2 a logger that throws disturbs nothing', async () => {
    const logger = { debug: throws, log: throws, warn: throws, error: throws };
    const hooks = {
      BeforeTool: groupOf(answers('a', { decision: 'deny' }), boom),
      AfterTool: groupOf(answers('b', {})),
    };
    const system = systemOn(new MessageBus(), { hooks: untyped({ ...hooks, BeforeTol: [] }), deps: { logger } });
    await system.initialize();
    const handler = system.getEventHandler();
    const blocked = await handler.fireBeforeToolEvent('ls', {});
    expect(blocked.finalOutput?.isBlockingDecision()).toBe(true);
    expect(await handler.fireBeforeAgentEvent('hi')).toMatchObject({ success: true });
    expect(await handler.fire('AfterTool', untyped({ tool_name: '' }))).toMatchObject({ success: false });
  });
});

describe('P8 on the bus', () => {
  test('listeners that throw at every message keep no request from its answer', async () => {
    const { bus, errors } = engineOnBus({
      hooks: { BeforeTool: groupOf(answers('a', { decision: 'deny', systemMessage: 'm' }), boom) },
    });
    const rude = (): never => {
      throw new Error('rude');
    };
    for (const type of Object.values(MessageBusType)) bus.subscribe(type, rude);
    bus.stream().subscribe(rude);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(errors.length).toBeGreaterThan(5);
    expect(errors.every((error) => error.code === 'listener_failed')).toBe(true);
  });

  test('a listener may fire events itself, and every listener hears one order', async () => {
    const gate = deferred();
    const { bus, system, answerTo } = engineOnBus({
      hooks: { BeforeTool: groupOf(answers('a', {})), AfterTool: groupOf(fn('waits', () => gate.promise)) },
    });
    await system.initialize();
    const first = captureTraffic(bus);
    bus.subscribe(MessageBusType.HOOK_FINISHED, ({ correlationId }) => {
      if (correlationId === 'first') bus.publish(requestFor('second', 'AfterTool'));
    });
    const second = captureTraffic(bus);
    bus.publish(requestFor('first'));
    await answerTo('first');
    gate.resolve();
    await answerTo('second');
    expect(orderOf(first)).toEqual(orderOf(second));
    expect(orderOf(first)).toContain('hook-execution-response second');
  });
});

test('commands that were never run leave nothing: explain looks, and starts nothing', async () => {
  const system = await engineOf({ hooks: { BeforeTool: commands('no-such-program') } });
  const [row] = await system.explain('BeforeTool');
  expect(row).toMatchObject({ planned: 'run', warnings: [{ code: 'executable-not-found' }] });
  expect(row).not.toHaveProperty('outcome');
});
