import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import {
  BeforeToolHookOutput,
  Config,
  type EventRunner,
  fireBeforeToolHook,
  HookAggregator,
  type HookConfig,
  HookEventHandler,
  HookSystem,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../src/index.ts';
import {
  answers,
  engineOnBus,
  fn,
  groupOf,
  HOOK_EXECUTION_CANCEL,
  HOOK_EXECUTION_REQUEST,
  HOOK_EXECUTION_RESPONSE,
  hangs,
  heard,
  type Input,
  inSequence,
  payloads,
  requestFor,
  sleep,
  systemOn,
} from '../support/engine.ts';
import { deferred, hostWith, keepLines } from '../support/host.ts';
import { nested, untyped, withHostileMember } from '../support/untyped.ts';

const empty = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };

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

describe('R313 R314 loading', () => {
  test('happens with the first request, once for all of them', async () => {
    let loads = 0;
    const getHooks = () => {
      loads += 1;
      return { BeforeTool: groupOf(answers('a', { decision: 'allow' })) };
    };
    const { bus, system, responses } = engineOnBus({ host: { getHooks } });
    expect([loads, system.isInitialized()]).toEqual([0, false]);
    for (const id of ['a', 'b', 'c']) bus.publish(requestFor(id));
    await sleep(5);
    expect(responses.map((response) => response.result.finalOutput)).toMatchObject([
      { decision: 'allow' },
      { decision: 'allow' },
      { decision: 'allow' },
    ]);
    expect([loads, system.isInitialized()]).toEqual([1, true]);
  });

  test.each<[title: string, fails: () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('disk on fire');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk on fire'))],
  ])('that %s answers internal_error, never "no hooks", and the next request tries again', async (_title, fails) => {
    let broken = true;
    const { logger, warn } = keepLines();
    const getHooks = () => (broken ? fails() : { BeforeTool: groupOf(answers('a', { decision: 'allow' })) });
    const { bus, answerTo } = engineOnBus({ host: { getHooks }, deps: { logger } });
    bus.publish(requestFor('a'));
    expect(await answerTo('a')).toMatchObject({
      success: false,
      result: { ...empty, success: false },
      error: { code: 'internal_error', message: expect.stringContaining('disk on fire') },
    });
    expect(warn).toEqual([expect.stringContaining('BeforeTool could not be fired')]);
    broken = false;
    bus.publish(requestFor('b'));
    expect(await answerTo('b')).toMatchObject({ success: true, output: { decision: 'allow' } });
  });

  test('counts against the deadline of the request', async () => {
    const { bus, answerTo } = engineOnBus({ host: { getHooks: () => new Promise(() => {}) } });
    bus.publish({ ...requestFor('a'), timeoutMs: 20 });
    expect(await answerTo('a')).toMatchObject({ error: { code: 'deadline_exceeded' } });
  });

  test('F73 again leaves requests under way with the plan they started with', async () => {
    const gate = deferred();
    let name = 'old';
    const getHooks = () => {
      const mine = name;
      return { BeforeTool: groupOf(fn(mine, () => gate.promise.then(() => ({ systemMessage: mine })))) };
    };
    const { bus, system, answerTo } = engineOnBus({ host: { getHooks } });
    bus.publish(requestFor('a'));
    await sleep(5);
    name = 'new';
    await system.reload();
    bus.publish(requestFor('b'));
    gate.resolve();
    expect((await answerTo('a')).output).toMatchObject({ systemMessage: 'old' });
    expect((await answerTo('b')).output).toMatchObject({ systemMessage: 'new' });
  });
});

describe('F72 dispose', () => {
  test.each([
    ['in the turn it was published', 0],
    ['while its hooks run', 5],
  ])('answers a request %s as disposed, with what had finished', async (_title, wait) => {
    const hooks = { BeforeTool: groupOf(answers('a', { decision: 'block', reason: 'no' }), hangs('b')) };
    const { bus, system, responses, answerTo } = engineOnBus({ hooks });
    await system.initialize();
    bus.publish(requestFor('a'));
    if (wait > 0) await sleep(wait);
    await system.dispose();
    const response = await answerTo('a');
    expect(response).toMatchObject({ success: false, error: { code: 'disposed' } });
    expect(response.output?.decision).toBe(wait > 0 ? 'block' : undefined);
    await sleep(40);
    expect(responses).toHaveLength(1);
  });

  test('during loading answers what waits for it', async () => {
    const { bus, system, answerTo } = engineOnBus({ host: { getHooks: () => new Promise(() => {}) } });
    bus.publish(requestFor('a'));
    await sleep(2);
    await system.dispose();
    expect(await answerTo('a')).toMatchObject({ error: { code: 'disposed' } });
  });

  test('refuses later requests, idle or twice disposed', async () => {
    const { bus, system, responses } = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', {})) } });
    await system.dispose();
    await system.dispose();
    bus.publish(requestFor('a'));
    expect(responses).toMatchObject([{ correlationId: 'a', success: false, error: { code: 'disposed' } }]);
  });

  test('leaves requests to another system on the same bus', async () => {
    const bus = new MessageBus();
    const old = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', { systemMessage: 'old' })) } }, bus);
    await old.system.dispose();
    engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', { systemMessage: 'new' })) } }, bus);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result).toMatchObject({ success: true, finalOutput: { systemMessage: 'new' } });
    expect(old.errors).toEqual([]);
  });

  test('of many systems one after another leaves the listeners of the last one', async () => {
    const bus = new MessageBus();
    const listeners = (): number =>
      bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST) +
      bus.listenerCount(MessageBusType.HOOK_EXECUTION_CANCEL);
    for (let made = 0; made < 50; made += 1) await engineOnBus({}, bus).system.dispose();
    expect(listeners()).toBe(1);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.errors).toMatchObject([{ code: 'disposed' }]);
  });

  test('of every system on a bus leaves one refusal per request', async () => {
    const bus = new MessageBus();
    const first = engineOnBus({}, bus);
    await first.system.dispose();
    await engineOnBus({}, bus).system.dispose();
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.errors).toMatchObject([{ code: 'disposed' }]);
    expect(first.responses).toHaveLength(1);
    expect(first.errors).toEqual([]);
  });
});

describe('F35 two systems on one bus', () => {
  const denying = { BeforeTool: groupOf(answers('guard', { decision: 'deny', reason: 'no' })) };
  const handlerExists = expect.objectContaining({
    code: 'handler_exists',
    message:
      'Another engine answers hook-execution-request on this bus already; give this one a bus of its own, or dispose of the other first',
  });

  test('cannot be: the second constructor throws, and the first goes on as if there had been none', async () => {
    const bus = new MessageBus();
    const { responses, errors } = engineOnBus({ hooks: denying }, bus);
    expect(() => new HookSystem(hostWith(), bus)).toThrow(handlerExists);
    expect(() => new Config({ enableHooks: true, bus })).toThrow(handlerExists);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput).toMatchObject({ decision: 'deny' });
    await sleep(5);
    expect([responses.length, errors]).toEqual([1, []]);
  });

  test('may follow one another: whoever was disposed of is in nobody’s way', async () => {
    const bus = new MessageBus();
    await engineOnBus({}, bus).system.dispose();
    engineOnBus({ hooks: denying }, bus);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput).toMatchObject({ decision: 'deny' });
  });

  test('are told by a trigger too, whose hooks would all be left out without a word', async () => {
    const bus = new MessageBus();
    engineOnBus({}, bus);
    const second = { ...hostWith({ hooks: denying }), getMessageBus: () => bus };
    await expect(fireBeforeToolHook(second, 'ls', {})).rejects.toEqual(handlerExists);
  });
});

describe('direct calls on a system that has a bus', () => {
  const hooks = { BeforeTool: groupOf(answers('a', { decision: 'deny', reason: 'no' })) };
  const quiet = (bus: MessageBus) => {
    const published: string[] = [];
    const publish = bus.publish.bind(bus);
    bus.publish = (message) => {
      published.push(message.type);
      publish(message);
    };
    return published;
  };

  test.each([
    ['requests', HOOK_EXECUTION_REQUEST],
    ['responses', HOOK_EXECUTION_RESPONSE],
    ['everything', '*'],
  ] as const)('are told to whoever listens to %s, as a pair that names its handler', async (_title, channel) => {
    const bus = new MessageBus();
    const system = systemOn(bus, { hooks });
    await system.initialize();
    const published: unknown[] = [];
    const keep = (message: { type: string }): void => {
      if (message.type === HOOK_EXECUTION_REQUEST || message.type === HOOK_EXECUTION_RESPONSE) published.push(message);
    };
    if (channel === '*') bus.stream().subscribe(keep);
    else bus.subscribe(channel, keep);
    const handler = system.getEventHandler();
    const result = await handler.fire('BeforeTool', { tool_name: 'ls', tool_input: {} }, { timeoutMs: 1_000 });
    const request = {
      type: HOOK_EXECUTION_REQUEST,
      correlationId: expect.any(String),
      eventName: 'BeforeTool',
      payload: { tool_name: 'ls', tool_input: {} },
      handledBy: handler.id,
      timeoutMs: 1_000,
    };
    const response = {
      type: HOOK_EXECUTION_RESPONSE,
      correlationId: expect.any(String),
      eventName: 'BeforeTool',
      success: true,
      result,
      output: result.finalOutput,
      handledBy: handler.id,
    };
    const pair = [request, response];
    expect(published).toEqual(channel === '*' ? pair : pair.filter((message) => message.type === channel));
    const ids = published.map((message) => untyped<{ correlationId: string }>(message).correlationId);
    expect(new Set(ids).size).toBe(1);
  });

  test('are silent when nobody does, and run their hooks once either way', async () => {
    let runs = 0;
    const counting = {
      BeforeTool: groupOf(
        fn('a', () => {
          runs += 1;
        }),
      ),
    };
    const bus = new MessageBus();
    const published = quiet(bus);
    const system = systemOn(bus, { hooks: counting });
    await system.initialize();
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect([runs, published]).toEqual([1, []]);
    heard(bus, HOOK_EXECUTION_RESPONSE);
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect([runs, published]).toEqual([2, [HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE]]);
  });

  test('that fail are told as failures', async () => {
    const { system, responses } = engineOnBus({ hooks });
    await system.initialize();
    const handler = system.getEventHandler();
    const result = await handler.fire('BeforeTool', untyped({ tool_name: '', tool_input: {} }));
    expect(result).toMatchObject({ success: false, errors: [{ code: 'validation_failure' }] });
    expect(responses).toMatchObject([{ success: false, error: { code: 'validation_failure' }, handledBy: handler.id }]);
  });

  test('come out the same as without anybody listening', async () => {
    const systems = [systemOn(new MessageBus(), { hooks }), engineOnBus({ hooks }).system];
    const fire = async (system: HookSystem) => {
      await system.initialize();
      return system.getEventHandler().fireBeforeToolEvent('ls', {});
    };
    const [one, two] = await Promise.all(systems.map(fire));
    expect({ ...two, totalDuration: 0 }).toEqual({ ...one, totalDuration: 0 });
  });
});
