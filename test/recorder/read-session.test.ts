import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HookwrightError, MessageBusType } from '../../src/bus/index.ts';
import { readSession, type Session, type SessionProblem } from '../../src/sessions/index.ts';
import { untyped } from '../support/untyped.ts';
import {
  collect,
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  fileOf,
  header,
  linesOf,
  messagesOf,
  newDirectory,
  newFile,
  recordAll,
  textOf,
} from './support.ts';

const entry = (message: object, at = 1) => ({ at, message });

const read = async (file: string): Promise<{ lines: number[]; problems: readonly SessionProblem[] }> => {
  const session = readSession(file);
  const lines = (await collect(session)).map(({ line }) => line);
  return { lines, problems: session.problems };
};

const problem = (line: number, code: string, message: RegExp) => ({
  line,
  code,
  message: expect.stringMatching(message),
});

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a session that is well', () => {
  test('comes back as it was recorded, with lines and offsets', async () => {
    const { file } = await recordAll((bus) => {
      bus.publish(createSampleRequest('a'));
      bus.publish({ ...createSampleResponse('a'), output: { reason: 'token=hunter2' } });
    });
    const session = readSession(file);
    const entries = await collect(session);
    expect(entries).toEqual([
      { at: expect.any(Number), line: 2, message: createSampleRequest('a') },
      {
        at: expect.any(Number),
        line: 3,
        message: JSON.parse(
          JSON.stringify({ ...createSampleResponse('a'), output: { reason: 'token=[redacted: assigned-secret]' } }),
        ),
        redacted: ['output.reason'],
      },
    ]);
    expect(session.problems).toEqual([]);
    expect(await session.header()).toEqual(linesOf(file)[0]);
  });

  test('R600 warnings of an older form are notices when they are read', async () => {
    const row = { hookId: 'h', name: 'h', eventName: 'BeforeTool', source: { kind: 'project' }, planned: 'run' };
    const trace = (warnings: unknown[]) => ({
      type: MessageBusType.HOOK_EXECUTION_TRACE,
      correlationId: 'a',
      eventName: 'BeforeTool',
      mode: 'parallel',
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 1,
      rows: [{ ...row, warnings }, row],
    });
    const today = { code: 'noise', message: 'text', fix: 'print it to stderr' };
    const file = fileOf(
      entry(trace(['held-pipe: it was kept open: by sleep', 'the matcher "(" is none', 'no-such-code: x', today])),
      entry(trace([{ code: 'of-a-later-version', message: 'm', detail: { of: 1 } }])),
    );
    const session = readSession(file);
    expect(await messagesOf(session)).toEqual([
      trace([
        { code: 'held-pipe', message: 'it was kept open: by sleep' },
        { code: 'other', message: 'the matcher "(" is none' },
        { code: 'other', message: 'no-such-code: x' },
        today,
      ]),
      trace([{ code: 'other', message: 'm', detail: { of: 1 } }]),
    ]);
    expect(session.problems).toEqual([]);
  });

  test('is read afresh by every iteration, and the problems are those of the last one that began', async () => {
    const file = fileOf(entry(createSampleNote('one')), 'x');
    const session = readSession(file);
    expect(session.problems).toEqual([]);
    expect(await messagesOf(session)).toEqual([createSampleNote('one')]);
    expect(session.problems).toHaveLength(1);
    appendFileSync(file, `${JSON.stringify(entry(createSampleNote('two')))}\n`);
    expect(await messagesOf(session)).toEqual([createSampleNote('one'), createSampleNote('two')]);
    expect(session.problems).toHaveLength(1);
  });

  test('keeps fields that this version does not know, blank lines and CRLF aside', async () => {
    const file = newFile();
    const note = { ...createSampleNote('one'), mood: 'good' };
    writeFileSync(
      file,
      [{ ...header, host: 'x' }, entry(note)].map((line) => `${JSON.stringify(line)}\r\n\r\n`).join(''),
    );
    const session = readSession(file);
    expect(await messagesOf(session)).toEqual([note]);
    expect(session.problems).toEqual([]);
  });

  test('may end without a line break', async () => {
    const file = fileOf(entry(createSampleNote('one')), entry(createSampleNote('two')));
    truncateSync(file, textOf(file).length - 1);
    expect(await read(file)).toEqual({ lines: [2, 3], problems: [] });
  });

  test('whoever stops reading closes the file', async () => {
    const { file } = await recordAll((bus) => {
      for (let index = 0; index < 1_000; index += 1) bus.publish(createSampleNote(`${index}`));
    });
    const session = readSession(file);
    for await (const { line } of session) if (line === 3) break;
    renameSync(file, `${file}.moved`);
    expect(await rejection(collect(session))).toBeInstanceOf(HookwrightError);
  });
});

describe('bad input is reported with its line, and the rest is used', () => {
  const good = entry(createSampleNote('good'));

  test.each([
    ['a line that is not JSON', 'not JSON at all', problem(3, 'invalid-json', /the line is not JSON: /)],
    ['a line that is no entry', '[1]', problem(3, 'invalid-message', /expected {"at":…,"message":{…}}/)],
    ['an entry without an offset', { message: createSampleNote('x') }, problem(3, 'invalid-message', /line\.at/)],
    ['an entry without a message', { at: 1 }, problem(3, 'invalid-message', /line\.message: an object/)],
    [
      'an unknown message type',
      entry({ type: 'hook-executionrequest', correlationId: 'a' }),
      problem(3, 'unknown-message', /got "hook-executionrequest"; did you mean "hook-execution-request"\?/),
    ],
    ['a message without a type', entry({ correlationId: 'a' }), problem(3, 'unknown-message', /got nothing/)],
    [
      'a message without an id',
      entry({ ...createSampleNote('x'), correlationId: '' }),
      problem(3, 'invalid-message', /expected a correlationId of 1 to 256 characters, got ""/),
    ],
    [
      'a request without an event',
      entry({ type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId: 'a' }),
      problem(3, 'invalid-message', /hook-execution-request: message\.eventName/),
    ],
    [
      'a line that is too long',
      `"${'x'.repeat(8 * 2 ** 20)}"`,
      problem(3, 'line-too-long', /longer than 8388608 bytes/),
    ],
    [
      'a line that nests too deeply',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      problem(3, 'invalid-message', /expected/),
    ],
  ])('%s', async (_what, line, expected) => {
    expect(await read(fileOf(good, line, good))).toEqual({ lines: [2, 4], problems: [expected] });
  });

  test('a response without a request is used, and reported', async () => {
    const file = fileOf(
      entry(createSampleRequest('a')),
      entry(createSampleResponse('a')),
      entry(createSampleResponse('b')),
    );
    expect(await read(file)).toEqual({
      lines: [2, 3, 4],
      problems: [
        problem(4, 'response-without-request', /a hook-execution-response for "b", which no request before it has/),
      ],
    });
  });

  test('two answers to one request are no problem, as when a second request had its id', async () => {
    const file = fileOf(
      entry(createSampleRequest('a')),
      entry(createSampleRequest('a')),
      entry(createSampleResponse('a')),
      entry(createSampleResponse('a')),
    );
    expect(await read(file)).toMatchObject({ problems: [] });
  });

  test('a session of another version', async () => {
    const file = newFile();
    writeFileSync(file, `${JSON.stringify({ ...header, version: 7 })}\n${JSON.stringify(good)}\n`);
    expect(await read(file)).toEqual({
      lines: [2],
      problems: [problem(1, 'unsupported-version', /the session has version 7, this reads version 1/)],
    });
    expect(await readSession(file).header()).toMatchObject({ version: 7 });
  });

  test('a file without a header: its first line may be a message', async () => {
    const file = newFile();
    writeFileSync(file, `${JSON.stringify(good)}\n${JSON.stringify(good)}\n`);
    expect(await read(file)).toEqual({ lines: [1, 2], problems: [problem(1, 'not-a-session', /expected a header/)] });
    expect(await rejection(readSession(file).header())).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`${file}:1: expected a header`),
      details: { line: 1, code: 'not-a-session' },
    });
  });

  test.each([
    ['an empty file', '', [problem(1, 'not-a-session', /the file is empty/)]],
    ['a file that is something else', '{"name":"my-package"}', [problem(1, 'not-a-session', /got an object/)]],
    ['a text', 'Dear diary,\n', [problem(1, 'not-a-session', /no JSON/)]],
    ['a header that is cut off', '{"hookwright":"sess', [problem(1, 'torn-line', /cut off/)]],
    ['a header that lacks its version', '{"hookwright":"session"}\n', [problem(1, 'not-a-session', /header\.version/)]],
    ['zeros, as a power failure leaves them', '\0'.repeat(5_000), [problem(1, 'torn-line', /cut off/)]],
  ])('%s', async (_what, text, problems) => {
    const file = newFile();
    writeFileSync(file, text);
    expect(await read(file)).toEqual({ lines: [], problems });
    expect(await rejection(readSession(file).header())).toBeInstanceOf(HookwrightError);
  });

  test('a file that is all wrong does not fill the memory with problems', async () => {
    const file = newFile();
    writeFileSync(file, 'x\n'.repeat(5_000));
    const { problems } = await read(file);
    expect(problems).toHaveLength(1_000);
    expect(problems.at(-1)?.message).toContain('further problems are not listed');
  });

  test('a file that is not there, or is a directory, rejects', async () => {
    for (const file of [newFile(), newDirectory()]) {
      const session = readSession(file);
      const expected = { code: 'invalid_argument', message: expect.stringContaining(`${file} cannot be read: E`) };
      expect(await rejection(collect(session))).toMatchObject(expected);
      expect(await rejection(session.header())).toMatchObject(expected);
    }
    expect(() => readSession(untyped(undefined))).toThrow(/file: expected a path/);
  });
});

describe('a recording that was interrupted', () => {
  test('wherever it was cut off, all whole lines are used and the torn one is reported', async () => {
    const { file } = await recordAll((bus) => {
      bus.publish(createSampleRequest('a'));
      bus.publish(createSampleResponse('ä€😀'));
    });
    const whole = Buffer.from(textOf(file));
    const firstEnd = whole.indexOf('\n') + 1;
    const lastBegin = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let length = firstEnd; length <= whole.length; length += 1) {
      writeFileSync(file, whole.subarray(0, length));
      const { lines, problems } = await read(file);
      const torn = problems.filter(({ code }) => code === 'torn-line');
      const isWhole =
        length >= whole.length - 1 || length === firstEnd || length === lastBegin || length === lastBegin - 1;
      expect(torn.length, `cut at ${length}`).toBe(isWhole ? 0 : 1);
      expect(lines, `cut at ${length}`).toEqual(
        length >= whole.length - 1 ? [2, 3] : length >= lastBegin - 1 ? [2] : [],
      );
    }
  });
});

describe('a recording of several files', () => {
  const inParts = () =>
    recordAll(
      (bus) => {
        for (let index = 0; index < 60; index += 1) bus.publish(createSampleNote(`${index}`));
      },
      { maxBytes: 2_000, maxFiles: 20 },
    );

  test('is read from its first one on, and says which file a line is in', async () => {
    const { file, summary } = await inParts();
    expect(summary.files).toBeGreaterThan(3);
    const session = readSession(file);
    const entries = await collect(session);
    expect(entries.map(({ message }) => message)).toEqual(
      Array.from({ length: 60 }, (_, index) => createSampleNote(`${index}`)),
    );
    expect(session.problems).toEqual([]);
    expect(entries[0]).toMatchObject({ line: 2, file: `${file}.${summary.files - 1}` });
    expect(entries.at(-1)?.file).toBeUndefined();
    expect(await session.header()).toMatchObject({ part: summary.files });
  });

  test('stops at a part that is of another recording, and names the file of a problem', async () => {
    const { file, summary } = await inParts();
    appendFileSync(`${file}.1`, 'x\n');
    writeFileSync(`${file}.3`, textOf(`${file}.3`).replace(/"session":"[^"]+"/, '"session":"another"'));
    const session = readSession(file);
    const entries = await collect(session);
    expect(new Set(entries.map((one) => one.file))).toEqual(new Set([`${file}.2`, `${file}.1`, undefined]));
    expect(session.problems).toMatchObject([{ code: 'invalid-json', file: `${file}.1` }]);
    expect(summary.files).toBeGreaterThan(4);
  });

  test('an earlier recording beside it is not part of it', async () => {
    const { file } = await recordAll((bus) => bus.publish(createSampleNote('first')));
    await recordAll((bus) => bus.publish(createSampleNote('second')), { file });
    expect(await messagesOf(readSession(file))).toEqual([createSampleNote('second')]);
  });
});

describe('a filter', () => {
  const type = MessageBusType.HOOK_EXECUTION_TRACE;
  const trace = (correlationId: string, hook: string, planned = 'run') => {
    const row = {
      hookId: `project/BeforeTool/${hook}`,
      name: hook,
      eventName: 'BeforeTool',
      source: { kind: 'project' },
      planned,
    };
    return {
      type,
      correlationId,
      eventName: 'BeforeTool',
      mode: 'parallel',
      startedAt: '',
      durationMs: 1,
      rows: [row],
    };
  };
  const call = (id: string, tool: string) => ({
    ...createSampleRequest(id),
    payload: { tool_name: tool, tool_input: {} },
  });
  const cancel = (correlationId: string) => ({ type: MessageBusType.HOOK_EXECUTION_CANCEL, correlationId });

  const session = (): Session =>
    readSession(
      fileOf(
        ...[
          call('1', 'read'),
          call('2', 'write'),
          trace('2', 'guard'),
          cancel('1'),
          trace('1', 'guard', 'skip'),
          createSampleResponse('2'),
          createSampleResponse('1'),
          { ...createSampleRequest('3'), eventName: 'SessionEnd', payload: { reason: 'exit' } },
          { ...createSampleResponse('3'), eventName: 'SessionEnd' },
          { type: MessageBusType.HOOKS_RELOADED, correlationId: 'r', added: [], removed: [], changed: [] },
        ].map((message) => entry(message)),
      ),
    );

  test.each([
    ['nothing', {}, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    ['an event', { events: ['SessionEnd', 'Nothing'] }, [9, 10]],
    ['a tool, with all that belongs to its requests', { tools: ['read'] }, [2, 5, 6, 8]],
    ['a hook that ran, from the request on', { hooks: ['guard'] }, [3, 4, 7]],
    ['a hook by its id', { hooks: ['project/BeforeTool/guard'] }, [3, 4, 7]],
    ['all of them', { events: ['BeforeTool'], tools: ['write'], hooks: ['guard'] }, [3, 4, 7]],
    ['what does not go together', { events: ['SessionEnd'], hooks: ['guard'] }, []],
    ['an empty list', { tools: [] }, []],
  ])('by %s', async (_what, filter, lines) => {
    const read = session();
    expect((await collect(read.entries(filter))).map(({ line }) => line)).toEqual(lines);
    expect(read.problems).toEqual([]);
  });

  test('that is no list of names is refused at once', () => {
    expect(() => session().entries(untyped({ tools: 'read' }))).toThrow(/tools: expected a list of names, got "read"/);
  });
});

const unusual: readonly [string, (file: string) => void][] = [
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a device', (file) => symlinkSync('/dev/zero', file)],
];

test.skipIf(process.platform === 'win32').each(unusual)(
  'R684 a session is a regular file: %s is refused at once',
  async (_what, make) => {
    const file = join(newDirectory(), 'session.jsonl');
    make(file);
    await expect(readSession(file).header()).rejects.toThrow(`${file} cannot be read: it is not a regular file`);
  },
);
