import { describe, expect, test } from 'vitest';
import { type Bus, type HookMessage, HookwrightError, MessageBus, MessageBusType } from '../../src/bus/index.ts';
import { createHooks, type DefinedHook, defineHook, requestHooks } from '../../src/index.ts';
import {
  type ReplayPair,
  type ReplayProgress,
  readSession,
  record,
  replay,
  sessionOf,
} from '../../src/sessions/index.ts';
import { deferred } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';
import {
  collect,
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  exchanges,
  fileOf,
  messagesIn,
  newFile,
} from './support.ts';

const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, HOOK_EXECUTION_TRACE } = MessageBusType;

const policy = defineHook({
  event: 'BeforeTool',
  name: 'policy',
  run: ({ tool_input }) => {
    const isDeleting = String(tool_input.command).startsWith('rm');
    return { decision: isDeleting ? 'deny' : 'allow', reason: isDeleting ? 'no deleting' : 'harmless' };
  },
});

const breaks = defineHook({
  event: 'BeforeTool',
  name: 'breaks',
  matcher: 'other',
  run: () => {
    throw new Error('out of order');
  },
});

const engine = (hooks: readonly DefinedHook[] = [policy, breaks]) => createHooks({ hooks });

/** A session of four calls: three direct ones and one over the bus. */
const recordCalls = async (hooks?: readonly DefinedHook[]): Promise<string> => {
  const live = await engine(hooks);
  const recording = record(live.bus, { file: newFile() });
  await live.beforeTool({ tool: 'shell', input: { command: 'ls' } });
  await live.beforeTool({ tool: 'shell', input: { command: 'rm -r x' } });
  await live.beforeTool({ tool: 'other', input: { command: 'rm' } });
  await requestHooks(live.bus, 'BeforeTool', { tool_name: 'shell', tool_input: { command: 'rm y' } });
  await recording.close();
  return recording.file;
};

const hear = (bus: Bus): HookMessage[] => {
  const heard: HookMessage[] = [];
  bus.stream().subscribe((message) => heard.push(message));
  return heard;
};

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('observe', () => {
  test('publishes what was recorded, verbatim and in order', async () => {
    const file = await recordCalls();
    const bus = new MessageBus();
    const heard = hear(bus);
    const report = await replay(readSession(file), bus);
    expect(heard).toEqual(messagesIn(file));
    expect(report).toEqual({ published: heard.length, skipped: 0, pairs: [], problems: [] });
    expect(bus.listenerCount(HOOK_EXECUTION_RESPONSE)).toBe(0);
  });

  test('a filter leaves out what was not asked for', async () => {
    const file = await recordCalls();
    const bus = new MessageBus();
    const heard = hear(bus);
    const report = await replay(readSession(file), bus, { tools: ['other'] });
    expect(new Set(heard.map(({ correlationId }) => correlationId)).size).toBe(1);
    expect(report).toMatchObject({ published: heard.length, skipped: messagesIn(file).length - heard.length });
    const ofHook = await replay(readSession(file), new MessageBus(), { hooks: ['breaks'] });
    expect(ofHook.published).toBe(report.published);
    expect(await replay(readSession(file), new MessageBus(), { events: ['AfterTool'] })).toMatchObject({
      published: 0,
    });
  });

  test('reports what is wrong with the session, and publishes the rest', async () => {
    const file = fileOf({ at: 1, message: createSampleRequest('a') }, 'x', {
      at: 2,
      message: createSampleResponse('b'),
    });
    const report = await replay(readSession(file), new MessageBus());
    expect(report).toMatchObject({
      published: 2,
      problems: [
        { line: 3, code: 'invalid-json' },
        { line: 4, code: 'response-without-request' },
      ],
    });
  });

  test('says so when a handler on the bus answers the requests once more', async () => {
    const file = await recordCalls();
    const { bus } = await engine();
    const { problems } = await replay(readSession(file), bus);
    const last = { line: expect.any(Number), code: 'duplicate-response', message: expect.stringMatching(/or drive/) };
    // The direct calls of the session have their handler already; the request of the bus does not.
    expect(problems).toEqual([last]);
  });

  test('an observer of requests is no handler, and nothing to complain about', async () => {
    const bus = new MessageBus();
    bus.subscribe(HOOK_EXECUTION_REQUEST, () => {});
    expect(await replay(sessionOf(exchanges(1, 2, 3, 4)), bus)).toMatchObject({ published: 4, problems: [] });
  });

  test('as recorded: takes the time it took', async () => {
    const startedAt = performance.now();
    await replay(sessionOf(exchanges(20, 120)), new MessageBus(), { pace: 'recorded' });
    expect(performance.now() - startedAt).toBeGreaterThan(110);
  });

  test('step by step: each message waits for its promise', async () => {
    const bus = new MessageBus();
    const heard = hear(bus);
    const steps = Array.from({ length: 4 }, () => deferred());
    let asked = 0;
    const running = replay(sessionOf(exchanges(1, 2, 3, 4)), bus, {
      pace: () => {
        asked += 1;
        return steps[asked - 1]?.promise ?? Promise.resolve();
      },
    });
    for (const [index, step] of steps.entries()) {
      await expect.poll(() => asked).toBe(index + 1);
      expect(heard).toHaveLength(index);
      step.resolve();
    }
    expect(await running).toMatchObject({ published: 4 });
  });
});

describe('drive', () => {
  test('puts every request to the live hooks, under fresh ids, and pairs the answers', async () => {
    const file = await recordCalls();
    const { bus } = await engine();
    const heard = hear(bus);
    const report = await replay(readSession(file), bus, { mode: 'drive' });
    const recorded = messagesIn(file);
    const requests = heard.filter(({ type }) => type === HOOK_EXECUTION_REQUEST);
    const ids = new Set(recorded.map((message) => Reflect.get(Object(message), 'correlationId')));
    expect(requests).toHaveLength(4);
    for (const request of requests) {
      expect(ids).not.toContain(request.correlationId);
      expect(request).not.toHaveProperty('handledBy');
    }
    expect(report).toMatchObject({ published: 4, skipped: recorded.length - 4, problems: [] });
    expect(report.pairs.map(({ subject, same, differences }) => ({ subject, same, differences }))).toEqual([
      { subject: 'shell', same: true, differences: [] },
      { subject: 'shell', same: true, differences: [] },
      { subject: 'other', same: true, differences: [] },
      { subject: 'shell', same: true, differences: [] },
    ]);
    const [, denied] = report.pairs;
    expect(denied).toMatchObject({
      eventName: 'BeforeTool',
      recorded: { output: { decision: 'deny' } },
      replayed: { output: { decision: 'deny' } },
    });
    const result: object = denied?.replayed.result ?? {};
    expect(Object.getPrototypeOf(Reflect.get(result, 'finalOutput'))).toBe(Object.prototype);
    expect(readLine(file, denied)).toMatchObject({ message: { type: HOOK_EXECUTION_REQUEST } });
  });

  const readLine = (file: string, pair: ReplayPair | undefined): unknown =>
    JSON.parse(JSON.stringify([undefined, ...messagesIn(file).map((message) => ({ message }))][(pair?.line ?? 0) - 1]));

  test('says where hooks that changed answer otherwise', async () => {
    const file = await recordCalls();
    const stricter = defineHook({
      event: 'BeforeTool',
      name: 'policy',
      run: () => ({ decision: 'deny', reason: 'nothing at all' }),
    });
    const { bus } = await engine([stricter, breaks]);
    const { pairs } = await replay(readSession(file), bus, { mode: 'drive' });
    expect(pairs.map(({ same }) => same)).toEqual([false, false, false, false]);
    expect(pairs[0]?.differences.toSorted()).toEqual([
      'output.decision',
      'output.reason',
      'result.allOutputs[0].decision',
      'result.allOutputs[0].reason',
      'result.finalOutput.decision',
      'result.finalOutput.reason',
    ]);
    expect(pairs[1]?.differences).toContain('output.reason');
    expect(pairs[1]?.differences).not.toContain('output.decision');
  });

  test('a hook that broke then and answers now is a difference, and a hook that was added is one', async () => {
    const file = await recordCalls();
    const { pairs } = await replay(readSession(file), (await engine([policy])).bus, {
      mode: 'drive',
      tools: ['other'],
    });
    expect(pairs.map(({ differences }) => differences)).toEqual([['result.success', 'result.errors[0]']]);
  });

  test('two replays give equal answers and equal traces, times and ids aside', async () => {
    const file = await recordCalls();
    const run = async () => {
      const { bus } = await engine();
      const heard = hear(bus);
      const { pairs } = await replay(readSession(file), bus, { mode: 'drive' });
      return { pairs, heard };
    };
    const changing = new Set(['correlationId', 'startedAt', 'durationMs', 'totalDuration', 'handledBy']);
    const lasting = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, member) => (changing.has(key) ? undefined : member)));
    const [one, other] = [await run(), await run()];
    expect(lasting(one)).toEqual(lasting(other));
    expect(one.heard.filter(({ type }) => type === HOOK_EXECUTION_TRACE)).toHaveLength(4);
    expect(lasting(one.heard.filter(({ type }) => type === HOOK_EXECUTION_TRACE))).toEqual(
      lasting(messagesIn(file).filter((message) => Reflect.get(Object(message), 'type') === HOOK_EXECUTION_TRACE)),
    );
  });

  test('asks for the next when the one before was answered; as recorded, they overlap as they did', async () => {
    let running = 0;
    let most = 0;
    const slow = defineHook({
      event: 'BeforeTool',
      name: 'slow',
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running -= 1;
        return undefined;
      },
    });
    const requests = sessionOf(['a', 'b', 'c'].map((id, at) => ({ at, message: createSampleRequest(id) })));
    const { bus } = await engine([slow]);
    const instant = await replay(requests, bus, { mode: 'drive' });
    expect(most).toBe(1);
    const recorded = await replay(requests, bus, { mode: 'drive', pace: 'recorded' });
    expect(most).toBe(3);
    expect([instant, recorded].map(({ pairs }) => pairs.map(({ line }) => line))).toEqual([
      [2, 3, 4],
      [2, 3, 4],
    ]);
  });

  test('step by step: the promise is asked for when the answer to the one before is there', async () => {
    const log: string[] = [];
    const file = await recordCalls();
    await replay(readSession(file), (await engine()).bus, {
      mode: 'drive',
      pace: async ({ line }) => {
        log.push(`step ${line}`);
      },
      onProgress: ({ entry }) => log.push(`answered ${entry.line}`),
    });
    expect(log).toHaveLength(8);
    expect(log.map((line) => line.split(' ')[0])).toEqual(Array.from({ length: 4 }, () => ['step', 'answered']).flat());
  });

  test('a request the session has no answer to has no recorded one, and is not the same', async () => {
    const { bus } = await engine();
    const { pairs } = await replay(sessionOf([{ at: 0, message: createSampleRequest('a') }]), bus, { mode: 'drive' });
    expect(pairs).toMatchObject([{ line: 2, subject: 'shell', same: false, differences: [] }]);
    expect(pairs[0]).not.toHaveProperty('recorded');
  });

  test('a request that was refused then is refused now', async () => {
    const live = await engine();
    const recording = record(live.bus, { file: newFile() });
    live.bus.publish({ ...createSampleRequest('a'), payload: { tool_name: '' } });
    live.bus.publish({ ...createSampleRequest('b'), eventName: 'BeforeLunch' });
    await recording.close();
    const { pairs } = await replay(readSession(recording.file), (await engine()).bus, { mode: 'drive' });
    expect(pairs).toMatchObject([
      { same: true, replayed: { error: { code: 'validation_failure' } } },
      { same: true, replayed: { error: { code: 'unsupported_event' } } },
    ]);
  });

  test('of two requests with one id, the refusal is for the second', async () => {
    const refusal = {
      ...createSampleResponse('a'),
      success: false,
      error: { code: 'duplicate_request' as const, message: 'still being answered' },
    };
    const session = sessionOf(
      [
        createSampleRequest('a'),
        { ...createSampleRequest('a'), eventName: 'AfterAgent' },
        refusal,
        createSampleResponse('a'),
      ].map((message, at) => ({
        at,
        message,
      })),
    );
    const { pairs } = await replay(session, (await engine([])).bus, { mode: 'drive' });
    expect(pairs).toMatchObject([
      { eventName: 'BeforeTool', same: true },
      { eventName: 'AfterAgent', recorded: { error: { code: 'duplicate_request' } }, same: false },
    ]);
  });

  test('secrets that were taken out are no difference, and the pair says where they were', async () => {
    const echo = defineHook({
      event: 'BeforeTool',
      name: 'echo',
      run: ({ tool_input }) => ({
        reason: `used token=hunter2 for ${tool_input.path}`,
        hookSpecificOutput: { tool_input: { password: { user: 'me', pin: 1 } } },
      }),
    });
    const live = await engine([echo]);
    const recording = record(live.bus, { file: newFile() });
    await live.beforeTool({ tool: 'shell', input: { path: 'x', api_key: 'secret' } });
    await recording.close();
    const session = readSession(recording.file);
    const { pairs } = await replay(session, (await engine([echo])).bus, { mode: 'drive' });
    expect(pairs).toMatchObject([{ same: true, differences: [], redacted: ['payload.tool_input.api_key'] }]);
    const other = defineHook({ event: 'BeforeTool', name: 'echo', run: () => ({ reason: 'used something else' }) });
    const changed = await replay(session, (await engine([other])).bus, { mode: 'drive' });
    expect(changed.pairs[0]?.differences).toContain('output.reason');
  });

  test('rejects at once when nobody handles requests', async () => {
    expect(await rejection(replay(sessionOf(exchanges(1)), new MessageBus(), { mode: 'drive' }))).toMatchObject({
      code: 'no_handler',
    });
  });

  test('a request nobody answers in time is a problem and a pair, is cancelled, and the rest goes on', async () => {
    const bus = new MessageBus();
    const heard = hear(bus);
    bus.subscribe(HOOK_EXECUTION_REQUEST, ({ correlationId, payload }) => {
      if (payload?.tool_name === 'answered') bus.publish(createSampleResponse(correlationId));
    });
    const call = (id: string, tool: string): HookMessage => ({
      ...createSampleRequest(id),
      payload: { tool_name: tool },
    });
    const session = sessionOf([call('a', 'ignored'), call('b', 'answered')].map((message, at) => ({ at, message })));
    const report = await replay(session, bus, { mode: 'drive', timeoutMs: 30 });
    expect(report.problems).toEqual([{ line: 2, code: 'no-response', message: expect.stringContaining('30 ms') }]);
    expect(report.pairs).toMatchObject([
      { subject: 'ignored', replayed: { success: false, error: { code: 'deadline_exceeded' } } },
      { subject: 'answered', replayed: { success: true } },
    ]);
    expect(heard.filter(({ type }) => type === MessageBusType.HOOK_EXECUTION_CANCEL)).toHaveLength(1);
  });
});

describe('progress and abort', () => {
  test('progress is told after every message, and what it throws ends the replay', async () => {
    const progress: ReplayProgress[] = [];
    const session = sessionOf(exchanges(1, 2, 3));
    await replay(session, new MessageBus(), { onProgress: (one) => progress.push(one) });
    expect(progress.map(({ published, entry }) => [published, entry.line])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    const bus = new MessageBus();
    const stopping = replay(session, bus, {
      onProgress: ({ published }) => {
        if (published === 2) throw new Error('enough');
      },
    });
    expect(await rejection(stopping)).toEqual(new Error('enough'));
    expect(bus.listenerCount(HOOK_EXECUTION_RESPONSE)).toBe(0);
  });

  test('an abort rejects with cancelled; nothing more is published', async () => {
    const bus = new MessageBus();
    const heard = hear(bus);
    const controller = new AbortController();
    const reason = new Error('closed the window');
    const running = replay(sessionOf(exchanges(0, 0, 50)), bus, { pace: 'recorded', signal: controller.signal });
    controller.abort(reason);
    expect(await rejection(running)).toMatchObject({ code: 'cancelled', cause: reason });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(heard).toHaveLength(2);
    expect(bus.listenerCount(HOOK_EXECUTION_RESPONSE)).toBe(0);
    const before = replay(sessionOf(exchanges(0)), bus, { signal: controller.signal });
    expect(HookwrightError.is(await rejection(before))).toBe(true);
    expect(heard).toHaveLength(2);
  });

  test('an abort from within a replay of a file ends it there', async () => {
    const file = await recordCalls();
    const controller = new AbortController();
    const bus = new MessageBus();
    const heard = hear(bus);
    bus.stream().subscribe(() => {
      if (heard.length === 3) controller.abort();
    });
    expect(await rejection(replay(readSession(file), bus, { signal: controller.signal }))).toMatchObject({
      code: 'cancelled',
    });
    expect(heard).toHaveLength(3);
  });

  test('an abort cancels the hooks that run for a driven request', async () => {
    const aborted = deferred<boolean>();
    const endless = defineHook({
      event: 'BeforeTool',
      name: 'endless',
      run: (_input, { signal }) =>
        new Promise<undefined>((resolve) => {
          signal.addEventListener('abort', () => {
            aborted.resolve(true);
            resolve(undefined);
          });
        }),
    });
    const { bus } = await engine([endless]);
    const controller = new AbortController();
    const running = replay(sessionOf(exchanges(0)), bus, { mode: 'drive', signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await rejection(running)).toMatchObject({ code: 'cancelled' });
    expect(await aborted.promise).toBe(true);
  });
});

describe('wrong use', () => {
  test.each([
    [{ mode: 'watch' }, /mode: expected "observe" or "drive", got "watch"/],
    [{ pace: 0 }, /pace: expected/],
    [{ timeoutMs: -1 }, /timeoutMs: expected milliseconds over 0, got -1/],
    [{ events: 'BeforeTool' }, /events: expected a list of names/],
  ])('%o is refused', async (options, message) => {
    const refused = replay(sessionOf([]), new MessageBus(), untyped(options));
    await expect(refused).rejects.toThrow(message);
  });

  test('a file that is not there rejects', async () => {
    await expect(replay(readSession(newFile()), new MessageBus())).rejects.toThrow(/cannot be read: ENOENT/);
  });

  test('an empty session is replayed at once', async () => {
    const empty = { published: 0, skipped: 0, pairs: [], problems: [] };
    expect(await replay(sessionOf([]), new MessageBus())).toEqual(empty);
    expect(await replay(sessionOf([]), (await engine()).bus, { mode: 'drive' })).toEqual(empty);
  });
});

test('a session made of entries keeps their lines, and counts where there are none', async () => {
  const given = [
    { at: 0, line: 7, message: createSampleNote('a') },
    { at: 1, message: createSampleNote('b') },
  ];
  expect((await collect(sessionOf(given))).map(({ line }) => line)).toEqual([7, 3]);
  expect(await sessionOf(given).header()).toMatchObject({ version: 1 });
});
