import { statSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { type HookMessage, HookwrightError, MessageBus, MessageBusType } from '../../src/bus/index.ts';
import { createHooks, defineHook, HookAggregator, requestHooks } from '../../src/index.ts';
import { type RecordProblem, record } from '../../src/sessions/index.ts';
import { waitForRejections } from '../bus/messages.ts';
import { nested, revokedProxy, untyped, withHostileMember } from '../support/untyped.ts';
import {
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  linesOf,
  messagesIn,
  newFile,
  recordAll,
  textOf,
} from './support.ts';

const noRm = defineHook({
  event: 'BeforeTool',
  name: 'no-rm',
  run: ({ tool_input }) => (tool_input.command === 'rm' ? { decision: 'deny', reason: 'no' } : undefined),
});

describe('what is recorded', () => {
  test('a header, then every message the bus delivered, in the order of delivery and with its offset', async () => {
    const bus = new MessageBus();
    const delivered: HookMessage[] = [];
    const recording = record(bus, { file: newFile() });
    bus.stream().subscribe((message) => delivered.push(message));
    const hooks = await createHooks({ bus, hooks: [noRm] });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'rm' } });
    await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: { command: 'ls' } });
    const summary = await recording.close();
    const [header, ...entries] = linesOf(recording.file);
    expect(header).toMatchObject({ hookwright: 'session', version: 1, part: 1, redacted: true });
    expect(new Date(String(header?.startedAt)).getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(entries.map(({ message }) => message)).toEqual(JSON.parse(JSON.stringify(delivered)));
    expect(delivered.map(({ type }) => type)).toEqual(expect.arrayContaining([MessageBusType.HOOK_EXECUTION_TRACE]));
    expect(delivered.filter(({ type }) => type === MessageBusType.HOOK_EXECUTION_REQUEST)).toHaveLength(2);
    expect(summary).toEqual({
      messages: delivered.length,
      bytes: statSync(recording.file).size,
      files: 1,
      redacted: 0,
    });
    const offsets = entries.map(({ at }) => Number(at));
    expect(offsets.toSorted((one, other) => one - other)).toEqual(offsets);
    expect(offsets[0]).toBeGreaterThanOrEqual(0);
  });

  test('a direct call as well as a request on the bus, also on a bus that only the recorder listens to', async () => {
    const hooks = await createHooks({ hooks: [noRm] });
    const recording = record(hooks.bus, { file: newFile() });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'rm' } });
    await recording.close();
    expect(messagesIn(recording.file)).toEqual([
      expect.objectContaining({ type: MessageBusType.HOOK_EXECUTION_REQUEST, handledBy: expect.any(String) }),
      expect.objectContaining({ type: MessageBusType.HOOK_STARTED }),
      expect.objectContaining({ type: MessageBusType.HOOK_FINISHED }),
      expect.objectContaining({ type: MessageBusType.HOOK_EXECUTION_TRACE }),
      expect.objectContaining({
        type: MessageBusType.HOOK_EXECUTION_RESPONSE,
        output: { decision: 'deny', reason: 'no' },
      }),
    ]);
  });

  test('a message as it was when it was published, whatever its publisher does with it afterwards', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
    const { file } = await recordAll((bus) => {
      const payload = { llm_request: { model: 'm', contents } };
      bus.publish({ ...createSampleRequest('a'), eventName: 'BeforeModel', payload });
      contents.push({ role: 'model', parts: [{ text: 'later' }] });
      Object.assign(contents[0]?.parts[0] ?? {}, { text: 'changed' });
      Object.assign(payload, { more: true });
    });
    expect(messagesIn(file)).toEqual([
      expect.objectContaining({
        payload: { llm_request: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hello' }] }] } },
      }),
    ]);
  });

  test('an error as its name, message, code and details; an output class as plain JSON', async () => {
    const result = new HookAggregator().aggregateResults(
      [
        { hookConfig: {}, eventName: 'BeforeTool', success: true, output: { decision: 'deny' }, duration: 1 },
        {
          hookConfig: {},
          eventName: 'BeforeTool',
          success: false,
          error: new HookwrightError('hook_failed', 'it broke', { details: { fault: 'threw' }, cause: new Error('x') }),
          duration: 1,
        },
      ],
      'BeforeTool',
    );
    result.errors.push(new TypeError('not a function'));
    const { file } = await recordAll((bus) => bus.publish({ ...createSampleResponse('a'), result }));
    expect(messagesIn(file)).toEqual([
      {
        ...createSampleResponse('a'),
        result: {
          success: false,
          finalOutput: { decision: 'deny' },
          allOutputs: [{ decision: 'deny' }],
          errors: [
            { name: 'HookwrightError', message: 'it broke', code: 'hook_failed', details: { fault: 'threw' } },
            { name: 'TypeError', message: 'not a function' },
          ],
          totalDuration: 2,
        },
      },
    ]);
  });

  const circular: Record<string, unknown> = { name: 'me' };
  circular.self = circular;
  circular.list = [circular];
  const shared = { text: 'twice' };

  test.each([
    ['a cycle', circular, { name: 'me', self: '[circular]', list: ['[circular]'] }],
    ['the same object twice', { one: shared, other: shared }, { one: shared, other: shared }],
    ['a BigInt', { id: 12n }, { id: '[bigint 12]' }],
    ['a function', { run: () => 1, list: [Math.max] }, { run: '[function]', list: ['[function]'] }],
    ['a symbol', { id: Symbol('x') }, { id: '[symbol]' }],
    [
      'bytes',
      { file: Buffer.from('abc'), view: new Uint8Array(9) },
      { file: '[Buffer of 3 bytes]', view: '[Uint8Array of 9 bytes]' },
    ],
    ['a map and a set', { map: new Map([[1, 2]]), set: new Set() }, { map: '[Map of 1]', set: '[Set of 0]' }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['undefined', { gone: undefined, list: [undefined] }, { list: [null] }],
    [
      'a getter that throws',
      withHostileMember({ fine: 1 }, 'bad'),
      { fine: 1, bad: '[unreadable: do not look at bad]' },
    ],
    ['a revoked proxy', { proxy: revokedProxy() }, { proxy: expect.stringContaining('[unreadable: ') }],
    [
      'a toJSON that throws',
      {
        odd: {
          toJSON: () => {
            throw new Error('never');
          },
        },
      },
      { odd: '[unreadable: never]' },
    ],
    [
      'an own __proto__',
      JSON.parse('{"__proto__": {"a": 1}, "b": [1]}'),
      JSON.parse('{"__proto__": {"a": 1}, "b": [1]}'),
    ],
    ['a lone surrogate', { text: 'a\ud800b' }, { text: 'a\ud800b' }],
  ])('what JSON cannot carry is described: %s', async (_what, tool_input, recorded) => {
    const onProblem = vi.fn();
    const { file, summary } = await recordAll(
      (bus) => bus.publish({ ...createSampleRequest('a'), payload: untyped({ tool_name: 't', tool_input }) }),
      { onProblem },
    );
    expect(summary.messages).toBe(1);
    expect(messagesIn(file)).toEqual([
      { ...createSampleRequest('a'), payload: { tool_name: 't', tool_input: recorded } },
    ]);
    expect(onProblem).not.toHaveBeenCalled();
  });

  test('nesting without end is cut off at 100 levels', async () => {
    const { file } = await recordAll((bus) =>
      bus.publish({ ...createSampleRequest('a'), payload: untyped({ tool_input: nested(5_000) }) }),
    );
    expect(textOf(file)).toContain('[nested deeper than 100 levels]');
  });

  test('a message that is too long for a line keeps the beginning of its texts, and says which were cut', async () => {
    const problems: RecordProblem[] = [];
    const { file } = await recordAll(
      (bus) => bus.publish({ ...createSampleRequest('a'), payload: { short: 'kept', image: 'x'.repeat(9_000_000) } }),
      { onProblem: (problem) => problems.push(problem) },
    );
    const [, entry] = linesOf(file);
    expect(entry).toMatchObject({ shortened: ['payload.image'], message: { payload: { short: 'kept' } } });
    expect(textOf(file).length).toBeLessThan(20_000);
    expect(problems).toEqual([{ code: 'message-shortened', message: expect.stringContaining('payload.image') }]);
  });

  test('a message that cannot be written at all is left out and told; the others are there', async () => {
    const problems: RecordProblem[] = [];
    const numbers = Array.from({ length: 5_000_000 }, (_, index) => index);
    const { file, summary } = await recordAll(
      (bus) => {
        bus.publish({ ...createSampleRequest('a'), payload: { numbers } });
        bus.publish(createSampleNote('after'));
      },
      { onProblem: (problem) => problems.push(problem) },
    );
    expect(summary.messages).toBe(1);
    expect(messagesIn(file)).toEqual([createSampleNote('after')]);
    expect(problems).toEqual([{ code: 'message-left-out', message: expect.stringContaining('"a"') }]);
  });

  test('parts that are shared again and again are not written out without end', async () => {
    let shared: unknown = 'leaf';
    for (let level = 0; level < 60; level += 1) shared = [shared, shared];
    const problems: RecordProblem[] = [];
    const { summary } = await recordAll(
      (bus) => bus.publish({ ...createSampleRequest('a'), payload: untyped({ shared }) }),
      {
        onProblem: (problem) => problems.push(problem),
      },
    );
    expect(summary.messages).toBe(0);
    expect(problems).toEqual([{ code: 'message-left-out', message: expect.stringContaining('too large') }]);
  });
});

describe('the publisher', () => {
  test('is never disturbed, and what it gave stays its own', async () => {
    const secret = { tool_name: 'shell', tool_input: { password: 'hunter2', frozen: Object.freeze({ a: [1] }) } };
    const before = structuredClone(secret);
    const seen: HookMessage[] = [];
    const { file } = await recordAll((bus) => {
      bus.stream().subscribe((message) => seen.push(message));
      bus.publish({ ...createSampleRequest('a'), payload: secret });
    });
    expect(secret).toEqual(before);
    expect(seen).toEqual([{ ...createSampleRequest('a'), payload: secret }]);
    expect(Object.isFrozen(secret)).toBe(false);
    expect(textOf(file)).not.toContain('hunter2');
  });

  test('is answered before anything is written', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile() });
    const { size } = statSync(recording.file);
    for (let index = 0; index < 100; index += 1) bus.publish(createSampleNote(`${index}`));
    expect(statSync(recording.file).size).toBe(size);
    // On a busy machine a slice of the event loop encodes fewer than all of them.
    await expect.poll(() => messagesIn(recording.file)).toHaveLength(100);
    await recording.close();
  });

  test('a flood is written while it lasts: no more than a thousand messages wait', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile() });
    for (let index = 0; index < 10_000; index += 1) bus.publish(createSampleNote(`${index}`));
    expect(messagesIn(recording.file).length).toBeGreaterThan(10_000 - 1_025);
    await recording.close();
    expect(messagesIn(recording.file)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => createSampleNote(`${index}`)),
    );
  });

  test('may publish from within what is being written', async () => {
    const { file } = await recordAll(async (bus) => {
      const payload = Object.defineProperty({}, 'late', {
        enumerable: true,
        get: () => {
          bus.publish(createSampleNote('from a getter'));
          return 1;
        },
      });
      bus.publish({ ...createSampleRequest('a'), payload });
      await waitForRejections();
    });
    expect(messagesIn(file)).toContainEqual(createSampleNote('from a getter'));
  });
});

describe('the end of a recording', () => {
  test('close writes what is left, ends the subscription, and says the same when called again', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile() });
    bus.publish(createSampleNote('one'));
    const first = await recording.close();
    bus.publish(createSampleNote('two'));
    expect(await recording.close()).toEqual(first);
    expect(first.messages).toBe(1);
    expect(messagesIn(recording.file)).toEqual([createSampleNote('one')]);
    expect(bus.listenerCount('*')).toBe(0);
  });

  test('what was delivered before removeAllListeners is written', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile() });
    bus.publish(createSampleNote('one'));
    bus.removeAllListeners();
    expect(messagesIn(recording.file)).toEqual([createSampleNote('one')]);
    expect(await recording.close()).toMatchObject({ messages: 1 });
  });

  test('leaves no listener for the exit of the process behind, however many there were', async () => {
    const before = process.listenerCount('exit');
    const recordings = Array.from({ length: 20 }, () => record(new MessageBus(), { file: newFile() }));
    expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
    for (const recording of recordings) await recording.close();
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe('wrong arguments', () => {
  test.each([
    ['no file', { file: '' }, /file: expected a path/],
    ['a file with a NUL', { file: 'a\0b' }, /file: expected a path/],
    ['no size', { maxBytes: 0 }, /maxBytes: expected a number from 1 on, got 0/],
    ['no files', { maxFiles: -1 }, /maxFiles/],
    ['keys that are none', { redact: { keys: [/x/] } }, /redact.keys: expected names of keys/],
    ['patterns that are none', { redact: { patterns: ['x'] } }, /redact.patterns: expected regular expressions/],
  ])('%s is refused at once', (_what, options, message) => {
    const bus = new MessageBus();
    expect(() => record(bus, untyped({ file: newFile(), ...options }))).toThrow(message);
    expect(bus.listenerCount('*')).toBe(0);
  });
});
