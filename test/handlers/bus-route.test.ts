import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import { BeforeToolHookOutput, MessageBus, requestHooks } from '../../src/index.ts';
import {
  answers,
  engineOnBus,
  fn,
  groupOf,
  HOOK_EXECUTION_CANCEL,
  HOOK_EXECUTION_REQUEST,
  HOOK_EXECUTION_RESPONSE,
  hangs,
  type Input,
  inSequence,
  payloads,
  requestFor,
  sleep,
} from '../support/engine.ts';
import { deferred } from '../support/host.ts';
import { nested, untyped, withHostileMember } from '../support/untyped.ts';
import { empty } from './fire-support.ts';

describe.each(hookEventNames)('a request for %s', (eventName) => {
  test('R013 without hooks is answered before publish returns', () => {
    const { bus, responses, system } = engineOnBus();
    return system.initialize().then(() => {
      bus.publish(requestFor('a', eventName));
      expect(responses).toEqual([
        { type: HOOK_EXECUTION_RESPONSE, correlationId: 'a', eventName, success: true, result: empty },
      ]);
    });
  });

  test('R004 R007 R012 with hooks is answered once, with the whole result and the merged output', async () => {
    const inputs: Input[] = [];
    const hook = fn('reader', (input) => {
      inputs.push(input);
      return { decision: 'deny', reason: 'no' };
    });
    const { bus, responses, answerTo } = engineOnBus({ hooks: { [eventName]: groupOf(hook) } });
    bus.publish(requestFor('a', eventName));
    const response = await answerTo('a');
    expect(response).toMatchObject({ correlationId: 'a', eventName, success: true });
    expect(response).not.toHaveProperty('error');
    expect(response.result).toMatchObject({
      success: true,
      errors: [],
      allOutputs: [{ decision: 'deny', reason: 'no' }],
    });
    expect(response.output).toBe(response.result.finalOutput);
    expect(response.output?.decision).toBe('deny');
    expect(inputs).toMatchObject([{ hook_event_name: eventName, session_id: 'session-1', cwd: '/project' }]);
    await sleep(5);
    expect(responses).toHaveLength(1);
  });
});

describe('F31 C14 every bad request is answered once, at once, with its code', () => {
  const good = {
    type: HOOK_EXECUTION_REQUEST,
    correlationId: 'a',
    eventName: 'BeforeTool',
    payload: payloads.BeforeTool,
  };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  test.each<[code: string, title: string, request: object, message: string]>([
    ['unsupported_event', 'an unknown event', { ...good, eventName: 'BeforeTol' }, 'did you mean "BeforeTool"?'],
    [
      'unsupported_event',
      'an event of another agent',
      { ...good, eventName: 'PreToolUse' },
      '"PreToolUse" is not an event',
    ],
    ['unsupported_event', 'an event from a prototype', { ...good, eventName: '__proto__' }, 'is not an event'],
    ['unsupported_event', 'an empty event', { ...good, eventName: '' }, 'is not an event'],
    ['invalid_request', 'no event', { ...good, eventName: undefined }, 'eventName'],
    ['invalid_request', 'an event that is an object', { ...good, eventName: {} }, 'eventName'],
    ['invalid_request', 'a payload that is a string', { ...good, payload: 'ls' }, 'payload'],
    ['invalid_request', 'a payload that is a list', { ...good, payload: [] }, 'payload'],
    ['invalid_request', 'a payload that is null', { ...good, payload: null }, 'payload'],
    ['invalid_request', 'a deadline of 0', { ...good, timeoutMs: 0 }, 'timeoutMs'],
    ['invalid_request', 'a deadline that is a string', { ...good, timeoutMs: '5s' }, 'timeoutMs'],
    ['invalid_request', 'a deadline that is no number', { ...good, timeoutMs: Number.NaN }, 'timeoutMs'],
    ['invalid_request', 'a handler that is no string', { ...good, handledBy: 7 }, 'handledBy'],
    ['invalid_request', 'an event that throws', withHostileMember(good, 'eventName'), 'do not look at eventName'],
    ['invalid_request', 'a payload that throws', withHostileMember(good, 'payload'), 'do not look at payload'],
    ['invalid_request', 'a handler that throws', withHostileMember(good, 'handledBy'), 'do not look at handledBy'],
    ['validation_failure', 'no payload', { ...good, payload: undefined }, 'BeforeTool: payload.tool_name'],
    ['validation_failure', 'an empty payload', { ...good, payload: {} }, 'payload.tool_input'],
    [
      'validation_failure',
      'a name of no length',
      { ...good, payload: { tool_name: '', tool_input: {} } },
      'payload.tool_name',
    ],
    ['validation_failure', 'a cycle', { ...good, payload: { ...payloads.BeforeTool, x: cyclic } }, 'refers to itself'],
    [
      'validation_failure',
      'a BigInt',
      { ...good, payload: { tool_name: 'a', tool_input: { n: 1n } } },
      'tool_input.n is a bigint',
    ],
    [
      'validation_failure',
      'a getter',
      { ...good, payload: withHostileMember(payloads.BeforeTool, 'x') },
      'reading it throws',
    ],
    [
      'validation_failure',
      '101 levels',
      { ...good, payload: { ...payloads.BeforeTool, x: nested(100, {}) } },
      '100 levels',
    ],
  ])('%s: %s', async (code, _title, request, message) => {
    let runs = 0;
    const hook = fn('a', () => {
      runs += 1;
    });
    const { ask, responses, answerTo, errors } = engineOnBus({ hooks: { BeforeTool: groupOf(hook) } });
    ask(request);
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatchObject({
      correlationId: 'a',
      success: false,
      result: { ...empty, success: false },
      error: { code, message: expect.stringContaining(message) },
    });
    expect(typeof responses[0]?.eventName).toBe('string');
    expect(runs).toBe(0);
    ask({ ...good, correlationId: 'b' });
    expect((await answerTo('b')).success).toBe(true);
    expect(responses).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test.each<[title: string, request: object]>([
    ['none', { ...good, correlationId: undefined }],
    ['an empty one', { ...good, correlationId: '' }],
    ['257 characters', { ...good, correlationId: 'x'.repeat(257) }],
    ['an object', { ...good, correlationId: {} }],
    ['one that throws', withHostileMember(good, 'correlationId')],
  ])('an id that is %s cannot be answered: it is an error event', (_title, request) => {
    const { ask, responses, errors } = engineOnBus();
    ask(request);
    expect(responses).toEqual([]);
    expect(errors).toMatchObject([{ code: 'invalid_message' }]);
  });

  test('256 characters are an id', () => {
    const { bus, system, responses } = engineOnBus();
    const id = 'x'.repeat(256);
    return system.initialize().then(() => {
      bus.publish(requestFor(id));
      expect(responses).toMatchObject([{ correlationId: id, success: true }]);
    });
  });
});

describe('what a request may look like', () => {
  test('C12 the payload may be called input', async () => {
    const inputs: Input[] = [];
    const reader = fn('r', (input) => {
      inputs.push(input);
    });
    const { ask, answerTo } = engineOnBus({ hooks: { BeforeTool: groupOf(reader) } });
    ask({ correlationId: 'a', eventName: 'BeforeTool', input: { tool_name: 'old', tool_input: {} } });
    ask({
      correlationId: 'b',
      eventName: 'BeforeTool',
      payload: { tool_name: 'new', tool_input: {} },
      input: { tool_name: 7 },
    });
    expect((await answerTo('a')).success).toBe(true);
    expect((await answerTo('b')).success).toBe(true);
    expect(inputs.map((input) => input.tool_name)).toEqual(['old', 'new']);
  });

  test('one that says who handles it is left alone', async () => {
    let runs = 0;
    const hook = fn('a', () => {
      runs += 1;
    });
    const { bus, responses } = engineOnBus({ hooks: { BeforeTool: groupOf(hook) } });
    bus.publish({ ...requestFor('a'), handledBy: 'somebody' });
    bus.publish({ ...requestFor('b'), handledBy: '' });
    await sleep(5);
    expect([runs, responses]).toEqual([0, []]);
  });

  test('unknown fields travel to the hooks', async () => {
    const inputs: Input[] = [];
    const reader = fn('r', (input) => {
      inputs.push(input);
    });
    const { ask, answerTo } = engineOnBus({ hooks: { BeforeAgent: groupOf(reader) } });
    ask({
      correlationId: 'a',
      eventName: 'BeforeAgent',
      payload: { prompt: 'hi', mood: 'good', session_id: 'forged' },
      extra: 1,
    });
    await answerTo('a');
    expect(inputs).toMatchObject([{ prompt: 'hi', mood: 'good', session_id: 'session-1' }]);
  });
});

describe('F32 F33 ids', () => {
  test('one that is live already is refused, and the first is answered once', async () => {
    const gate = deferred();
    const hook = fn('waits', () => gate.promise.then(() => ({ decision: 'allow' })));
    const { bus, responses, answerTo } = engineOnBus({ hooks: { BeforeTool: groupOf(hook) } });
    bus.publish(requestFor('a'));
    bus.publish(requestFor('a'));
    expect(responses).toMatchObject([{ correlationId: 'a', success: false, error: { code: 'duplicate_request' } }]);
    responses.length = 0;
    gate.resolve();
    expect((await answerTo('a')).result.finalOutput).toMatchObject({ decision: 'allow' });
    bus.publish(requestFor('a'));
    await sleep(5);
    expect(responses.map((response) => response.success)).toEqual([true, true]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is an id like any other', async (id) => {
    const { bus, responses, answerTo } = engineOnBus({
      hooks: { BeforeTool: groupOf(answers('a', { decision: 'allow' })) },
    });
    bus.publish(requestFor(id));
    bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'valueOf' });
    expect((await answerTo(id)).success).toBe(true);
    expect(responses).toHaveLength(1);
  });
});

describe('the one call of a user interface', () => {
  test('R018 gets the result in its class', async () => {
    const { bus } = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', { decision: 'block', reason: 'no' })) } });
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'rm', tool_input: {} });
    expect(result.success).toBe(true);
    expect(result.finalOutput).toBeInstanceOf(BeforeToolHookOutput);
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
  });

  test('R016 gives the same as a direct call', async () => {
    const hooks = {
      BeforeTool: groupOf(
        answers('a', { decision: 'ask', systemMessage: 'one' }),
        fn('b', () => {
          throw new Error('boom');
        }),
        answers('c', 'not an object'),
      ),
    };
    const { bus, system } = engineOnBus({ hooks });
    const payload = { tool_name: 'rm', tool_input: {} };
    const asked = await requestHooks(bus, 'BeforeTool', payload);
    const fired = await system.getEventHandler().fire('BeforeTool', payload);
    expect({ ...asked, totalDuration: 0, errors: asked.errors.map(String) }).toEqual({
      ...fired,
      totalDuration: 0,
      errors: fired.errors.map(String),
    });
  });

  test.each(['BeforeTol', 'toString'])('learns that %s is no event', async (eventName) => {
    const { bus } = engineOnBus();
    const result = await requestHooks(bus, untyped<'BeforeTool'>(eventName), untyped<never>({}));
    expect(result).toMatchObject({ success: false, errors: [{ code: 'unsupported_event' }] });
  });

  test('cancels by its signal, and gets what had finished', async () => {
    const hooks = { BeforeTool: groupOf(answers('a', { decision: 'deny', reason: 'no' }), hangs('b')) };
    const { bus } = engineOnBus({ hooks });
    const controller = new AbortController();
    const asking = requestHooks(bus, 'BeforeTool', { tool_name: 'rm', tool_input: {} }, { signal: controller.signal });
    await sleep(10);
    controller.abort();
    const result = await asking;
    expect(result).toMatchObject({
      success: false,
      errors: [{ code: 'cancelled' }, { details: { fault: 'cancelled' } }],
    });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  });
});

describe('F37 a hook that asks hooks over the bus', () => {
  test.each(['parallel', 'sequential'] as const)(
    'is stopped at depth 16 of a %s plan, and nothing hangs',
    async (mode) => {
      const bus = new MessageBus();
      const results: unknown[] = [];
      const recursive = fn('recursive', async () => {
        results.push(await requestHooks(bus, 'BeforeAgent', { prompt: 'again' }));
      });
      engineOnBus({ hooks: { BeforeAgent: mode === 'parallel' ? groupOf(recursive) : inSequence(recursive) } }, bus);
      const result = await requestHooks(bus, 'BeforeAgent', { prompt: 'start' }, { timeoutMs: 2_000 });
      expect(result).toMatchObject({ success: true, errors: [] });
      expect(results).toHaveLength(16);
      expect(results[0]).toMatchObject({ success: false, errors: [{ code: 'internal_error' }] });
      expect(results.slice(1)).toEqual(results.slice(1).map(() => expect.objectContaining({ success: true })));
    },
  );

  test('and alternates with direct calls is stopped all the same', async () => {
    const bus = new MessageBus();
    const errors: unknown[] = [];
    let depth = 0;
    const recursive = fn('recursive', async () => {
      depth += 1;
      const byBus = depth % 2 === 0;
      const result = byBus
        ? await requestHooks(bus, 'BeforeAgent', { prompt: 'again' })
        : await system.getEventHandler().fireBeforeAgentEvent('again');
      errors.push(...result.errors);
    });
    const { system } = engineOnBus({ hooks: { BeforeAgent: groupOf(recursive) } }, bus);
    await requestHooks(bus, 'BeforeAgent', { prompt: 'start' }, { timeoutMs: 2_000 });
    expect(depth).toBe(16);
    expect(errors).toMatchObject([{ code: 'internal_error' }]);
  });
});

describe('F36 a flood', () => {
  test('is refused beyond 20,000 requests in flight, at once and in order, and served again afterwards', async () => {
    const { bus, system, responses } = engineOnBus({ hooks: { BeforeTool: groupOf(hangs('hangs')) } });
    await system.initialize();
    for (let index = 0; index < 20_003; index += 1) bus.publish(requestFor(`id${index}`));
    expect(responses.map((response) => [response.correlationId, response.error?.code])).toEqual([
      ['id20000', 'overloaded'],
      ['id20001', 'overloaded'],
      ['id20002', 'overloaded'],
    ]);
    responses.length = 0;
    for (let index = 0; index < 10; index += 1)
      bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: `id${index}` });
    await sleep(60);
    expect(responses).toHaveLength(10);
    bus.publish(requestFor('one more'));
    expect(responses).toHaveLength(10);
    await system.dispose();
    await sleep(40);
    expect(responses).toHaveLength(20_001);
    expect(new Set(responses.map((response) => response.correlationId)).size).toBe(20_001);
    expect(responses.slice(10).every((response) => response.error?.code === 'disposed')).toBe(true);
  }, 30_000);
});
