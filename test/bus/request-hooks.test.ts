import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { type AggregatedHookResult, HookwrightError, MessageBus, requestHooks } from '../../src/bus/index.ts';
import {
  activeTimers,
  CANCEL,
  createSampleRefusal,
  createSampleRequest,
  createSampleResponse,
  REQUEST,
  RESPONSE,
  respondImmediately,
  untyped,
  waitForRejections,
} from './messages.ts';

const payload = { tool_name: 'shell', tool_input: { command: 'ls' } };

/** Answers every request with what is given, under the request's id. */
const answering = (response: object): MessageBus => {
  const bus = new MessageBus();
  bus.subscribe(REQUEST, ({ correlationId }) => {
    bus.publish(untyped({ ...createSampleResponse(correlationId), ...response, correlationId }));
  });
  return bus;
};

const blocked = {
  success: false,
  finalOutput: { decision: 'block', reason: 'not here' },
  allOutputs: [{ decision: 'block', reason: 'not here' }],
  errors: [new Error('one hook failed')],
  totalDuration: 12,
};

describe('an answer', () => {
  test('is the result the handler published', async () => {
    const bus = answering({ result: { ...blocked, success: true, errors: [] } });
    const result = await requestHooks(bus, 'BeforeTool', payload);
    expect(result).toEqual({ ...blocked, success: true, errors: [] });
  });

  test('is asked for with the event, the payload, the deadline and an id of the bus', async () => {
    const bus = new MessageBus({ idGenerator: () => 'mine' });
    const requests: unknown[] = [];
    bus.subscribe(REQUEST, (request) => requests.push(request));
    respondImmediately(bus);
    const extended = { ...payload, note: 'unknown fields travel too' };
    await requestHooks(bus, 'BeforeTool', extended);
    await requestHooks(bus, 'BeforeTool', payload, { timeoutMs: 500 });
    const base = { type: REQUEST, correlationId: 'mine', eventName: 'BeforeTool' };
    expect(requests).toEqual([
      { ...base, payload: extended },
      { ...base, payload, timeoutMs: 500 },
    ]);
  });

  test.each(['deadline_exceeded', 'cancelled', 'disposed'] as const)(
    'of %s keeps what had finished, a block included, and puts its error first',
    async (code) => {
      const error = { code, message: 'too late', details: { timeoutMs: 300 } };
      const result = await requestHooks(answering({ success: false, error, result: blocked }), 'BeforeTool', payload);
      expect(result).toMatchObject({ ...blocked, errors: [{ code, message: 'too late' }, blocked.errors[0]] });
      expect(HookwrightError.is(result.errors[0])).toBe(true);
      expect(result.errors[0]).toMatchObject({ details: { timeoutMs: 300, eventName: 'BeforeTool' } });
    },
  );

  test('that crossed a process has errors that are data, and they are errors here', async () => {
    const errors = [
      { name: 'Error', message: 'hook exited with 1' },
      { code: 'hook_failed', message: 'boom' },
      'text',
      null,
    ];
    const result = await requestHooks(answering({ result: { ...blocked, errors } }), 'BeforeTool', payload);
    expect(result.errors.every((error) => HookwrightError.is(error))).toBe(true);
    expect(result.errors.map(({ message }) => message)).toEqual(['hook exited with 1', 'boom', 'text', 'null']);
    expect(result.finalOutput).toEqual(blocked.finalOutput);
  });

  test.each([
    ['a deny', { decision: 'deny', reason: 'not here' }],
    ['a stop', { continue: false, stopReason: 'not here' }],
  ])('R1954 with %s beside a result without it blocks', async (_, output) => {
    const allowed = { ...blocked, finalOutput: { decision: 'allow' }, success: true, errors: [] };
    for (const result of [allowed, { ...allowed, finalOutput: undefined }])
      expect((await requestHooks(answering({ output, result }), 'BeforeTool', payload)).finalOutput).toEqual(output);
  });

  test.each([
    ['no result', undefined],
    ['a result whose merged output is text', { ...blocked, finalOutput: 'deny' }],
  ])('R2024 with a deny beside %s is an internal_error that blocks', async (_, result) => {
    const output = { decision: 'deny', reason: 'not here' };
    expect(await requestHooks(answering({ output, result }), 'BeforeTool', payload)).toMatchObject({
      success: false,
      finalOutput: output,
      errors: [{ code: 'internal_error' }],
    });
  });

  test('R1954 to another event is an internal_error', async () => {
    const bus = answering({ eventName: 'AfterTool', result: { ...blocked, success: true, errors: [] } });
    const result = await requestHooks(bus, 'BeforeTool', payload);
    expect(result).toMatchObject({ success: false, errors: [{ code: 'internal_error' }] });
    expect(result.errors[0]?.message).toContain('AfterTool');
  });

  test.each([
    ['no result', { result: undefined }],
    ['a result that is text', { result: 'fine' }],
    ['a result without outputs', { result: { success: true, errors: [], totalDuration: 0 } }],
    ['R2024 a result whose merged output is text', { result: { ...blocked, allOutputs: [], finalOutput: 'deny' } }],
    ['an error with an unknown code', { success: false, error: { code: 'from_the_future', message: 'x' } }],
    ['an error that is text', { success: false, error: 'x' }],
  ])('with %s is an internal_error', async (_, response) => {
    const result = await requestHooks(answering(response), 'BeforeTool', payload);
    expect(result).toMatchObject({ success: false, allOutputs: [], errors: [{ code: 'internal_error' }] });
  });
});

describe('no answer', () => {
  test('F34 with nobody listening is no_handler at once', async () => {
    const bus = new MessageBus();
    bus.stream().subscribe();
    const result = await requestHooks(bus, 'BeforeTool', payload);
    expect(result).toMatchObject({ success: false, allOutputs: [], errors: [{ code: 'no_handler' }] });
    expect(Object.keys(result)).toEqual(['success', 'finalOutput', 'allOutputs', 'errors', 'totalDuration']);
    expect(bus.stats().pending).toBe(0);
  });

  test('F34 from a listener that is no handler is deadline_exceeded, one second after the handler’s deadline', async () => {
    const bus = new MessageBus();
    bus.subscribe(REQUEST, () => {});
    const startedAt = performance.now();
    const result = await requestHooks(bus, 'BeforeTool', payload, { timeoutMs: 50 });
    const waited = performance.now() - startedAt;
    expect(result.errors).toMatchObject([{ code: 'deadline_exceeded' }]);
    expect(waited).toBeGreaterThan(1_040);
    expect(waited).toBeLessThan(3_000);
    expect(result.totalDuration).toBeGreaterThan(1_000);
    expect([bus.stats().pending, bus.listenerCount(RESPONSE)]).toEqual([0, 0]);
  });

  test.each([0, -5, Number.NaN, '30'])(
    'a deadline of %s is invalid_request and nothing is published',
    async (timeoutMs) => {
      const bus = new MessageBus();
      const requests: unknown[] = [];
      bus.subscribe(REQUEST, (request) => requests.push(request));
      const result = await requestHooks(bus, 'BeforeTool', payload, { timeoutMs: untyped(timeoutMs) });
      expect(result.errors).toMatchObject([{ code: 'invalid_request' }]);
      expect(requests).toEqual([]);
    },
  );

  test('F32 when an id generator repeats itself is duplicate_request for the second, and the first is answered', async () => {
    const bus = new MessageBus({ idGenerator: () => 'always the same' });
    bus.subscribe(REQUEST, ({ correlationId }) => {
      setTimeout(() => bus.publish(createSampleResponse(correlationId)), 5);
    });
    const [first, second] = await Promise.all([
      requestHooks(bus, 'BeforeTool', payload),
      requestHooks(bus, 'BeforeTool', payload),
    ]);
    expect(first.success).toBe(true);
    expect(second.errors).toMatchObject([{ code: 'duplicate_request' }]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no more ids');
      },
    ],
    ['returns nothing', () => untyped<string>(undefined)],
  ])('F31 when an id generator %s is internal_error', async (_, idGenerator) => {
    const bus = new MessageBus({ idGenerator });
    respondImmediately(bus);
    const result = await requestHooks(bus, 'BeforeTool', payload);
    expect(result.errors).toMatchObject([{ code: 'internal_error' }]);
  });

  test('F37 because listeners nest requests without end is internal_error', async () => {
    const bus = new MessageBus();
    const results: Promise<{ errors: Error[] }>[] = [];
    bus.subscribe(REQUEST, () => {
      results.push(requestHooks(bus, 'BeforeTool', payload));
    });
    respondImmediately(bus);
    await requestHooks(bus, 'BeforeTool', payload);
    const settled = await Promise.all(results);
    expect(settled).toHaveLength(16);
    expect(settled.flatMap(({ errors }) => errors)).toMatchObject([{ code: 'internal_error' }]);
  });
});

test('of a loop that was held beyond every deadline is still heard, when it was as late as everything else', async () => {
  const bus = new MessageBus();
  bus.subscribe(REQUEST, ({ correlationId }) => {
    const answer = (): void => bus.publish({ ...createSampleResponse(correlationId), correlationId });
    setTimeout(() => setImmediate(() => setImmediate(answer)), 10);
  });
  const answer = bus.request(createSampleRequest('held'), RESPONSE, 20);
  const until = performance.now() + 60;
  while (performance.now() < until);
  await expect(answer).resolves.toMatchObject({ correlationId: 'held' });
});

describe('a hostile payload', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = Object.defineProperty({}, 'tool_name', {
    enumerable: true,
    get: () => {
      throw new Error('do not look');
    },
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
    ['cyclic', cyclic],
    ['a BigInt', { tool_name: 'shell', tool_input: { size: 1n } }],
    ['a getter that throws', throwing],
    ['a revoked proxy', proxy],
  ])('F31 %s travels to the handler, whose answer comes back', async (_, hostile) => {
    const bus = new MessageBus();
    bus.subscribe(REQUEST, ({ correlationId }) =>
      bus.publish(createSampleRefusal(correlationId, 'validation_failure')),
    );
    const result = await requestHooks(bus, 'BeforeTool', untyped<typeof payload>(hostile));
    expect(result.errors).toMatchObject([{ code: 'validation_failure' }]);
  });

  test('F31 an event nobody knows travels as well', async () => {
    const bus = new MessageBus();
    bus.subscribe(REQUEST, ({ correlationId }) => bus.publish(createSampleRefusal(correlationId, 'unsupported_event')));
    const result = await requestHooks(bus, untyped<'BeforeTool'>('BeforeLunch'), payload);
    expect(result.errors).toMatchObject([{ code: 'unsupported_event' }]);
  });

  test('F31 options that are null or a bus that is none never reject', async () => {
    const withoutOptions = await requestHooks(new MessageBus(), 'BeforeTool', payload, untyped(null));
    const withoutBus = await requestHooks(untyped(undefined), 'BeforeTool', payload);
    expect([withoutOptions.success, withoutBus.success]).toEqual([false, false]);
  });
});

describe('an abort', () => {
  test('F74 before the request publishes nothing and is cancelled', async () => {
    const bus = new MessageBus();
    const published: unknown[] = [];
    bus.stream().subscribe((message) => published.push(message));
    respondImmediately(bus);
    const result = await requestHooks(bus, 'BeforeTool', payload, { signal: AbortSignal.abort('no') });
    expect(result.errors).toMatchObject([{ code: 'cancelled', cause: 'no' }]);
    expect(published).toEqual([]);
  });

  test('F74 during the request publishes a cancel and resolves with the handler’s answer, what had finished included', async () => {
    const bus = new MessageBus();
    bus.subscribe(REQUEST, () => {});
    bus.subscribe(CANCEL, ({ correlationId }) => {
      bus.publish({
        ...createSampleRefusal(correlationId, 'cancelled'),
        result: untyped<AggregatedHookResult>(blocked),
      });
    });
    const controller = new AbortController();
    const timers = activeTimers();
    const pending = requestHooks(bus, 'BeforeTool', payload, { signal: controller.signal });
    controller.abort();
    const result = await pending;
    expect(activeTimers()).toBe(timers);
    expect(result).toMatchObject({ ...blocked, errors: [{ code: 'cancelled' }, blocked.errors[0]] });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test('F74 that no handler answers is cancelled within about a second', async () => {
    const bus = new MessageBus();
    bus.subscribe(REQUEST, () => {});
    const cancels: string[] = [];
    bus.subscribe(CANCEL, ({ correlationId }) => cancels.push(correlationId));
    const controller = new AbortController();
    const pending = requestHooks(bus, 'BeforeTool', payload, { signal: controller.signal });
    const startedAt = performance.now();
    controller.abort('enough');
    const result = await pending;
    const waited = performance.now() - startedAt;
    expect(result.errors).toMatchObject([{ code: 'cancelled', cause: 'enough' }]);
    expect(waited).toBeGreaterThan(900);
    expect(waited).toBeLessThan(1_400);
    expect(cancels).toHaveLength(1);
    expect(bus.stats().pending).toBe(0);
  });

  test('F74 by a listener of the request itself is a cancel after the request', async () => {
    const bus = new MessageBus();
    const order: string[] = [];
    bus.stream().subscribe(({ type }) => order.push(type));
    const controller = new AbortController();
    bus.subscribe(REQUEST, () => controller.abort());
    bus.subscribe(CANCEL, ({ correlationId }) => bus.publish(createSampleRefusal(correlationId, 'cancelled')));
    const result = await requestHooks(bus, 'BeforeTool', payload, { signal: controller.signal });
    expect(result.errors).toMatchObject([{ code: 'cancelled' }]);
    expect(order).toEqual([REQUEST, CANCEL, RESPONSE]);
  });

  test('after the answer publishes nothing and leaves nothing on the signal', async () => {
    const bus = new MessageBus();
    respondImmediately(bus);
    const cancels: unknown[] = [];
    bus.subscribe(CANCEL, (message) => cancels.push(message));
    const controller = new AbortController();
    await requestHooks(bus, 'BeforeTool', payload, { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    controller.abort();
    await waitForRejections();
    expect(cancels).toEqual([]);
  });

  test('F74 of one signal that serves 1,000 requests cancels each of them, and Node has nothing to warn of', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const bus = new MessageBus();
    bus.subscribe(REQUEST, () => {});
    bus.subscribe(CANCEL, ({ correlationId }) => bus.publish(createSampleRefusal(correlationId, 'cancelled')));
    const controller = new AbortController();
    const { signal } = controller;
    const pending = Array.from({ length: 1_000 }, () => requestHooks(bus, 'BeforeTool', payload, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    const results = await Promise.all(pending);
    expect(results.every(({ errors }) => HookwrightError.is(errors[0]) && errors[0].code === 'cancelled')).toBe(true);
    await waitForRejections();
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});

test('10,000 in flight, each answered once', async () => {
  const bus = new MessageBus();
  const ids: string[] = [];
  bus.subscribe(REQUEST, ({ correlationId }) => ids.push(correlationId));
  const errors: unknown[] = [];
  bus.on('error', (error) => errors.push(error));
  const pending = Array.from({ length: 10_000 }, () => requestHooks(bus, 'BeforeTool', payload));
  await vi.waitFor(() => expect(ids).toHaveLength(10_000));
  for (const id of ids) bus.publish(createSampleResponse(id));
  const results = await Promise.all(pending);
  expect(results.every(({ success }) => success)).toBe(true);
  expect([errors, bus.stats().pending]).toEqual([[], 0]);
});

test('a request made by hand gets the same answers', async () => {
  const bus = new MessageBus();
  respondImmediately(bus);
  await expect(bus.request(createSampleRequest('a'), RESPONSE)).resolves.toMatchObject({ success: true });
});
