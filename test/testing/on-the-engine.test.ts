/** The engine, looked at with what its users look with. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  Config,
  type ConfigOptions,
  executeToolWithHooks,
  fireSessionEndHook,
  fireSessionStartHook,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import { captureTraffic, fixtureHook } from '../../src/testing/index.ts';

const { answers, command, hangs, throws } = fixtureHook;

afterEach(() => fixtureHook.dispose());

const engineWith = (options: ConfigOptions) => {
  const bus = new MessageBus();
  const config = new Config({ enableHooks: true, bus, ...options });
  const readFile = (path: string) =>
    executeToolWithHooks(config, 'read_file', { path }, () => ({ llmContent: 'hello' }));
  return { bus, config, readFile, traffic: captureTraffic(bus) };
};

describe('every configured hook is accounted for', () => {
  test('the one that runs, and each that does not with its reason', async () => {
    const twice = { name: 'twice', command: 'true' };
    const { readFile, traffic } = engineWith({
      hooks: {
        BeforeTool: [
          { hooks: [answers(undefined, { name: 'looks' }), twice] },
          { matcher: 'shell', hooks: [answers()] },
        ],
      },
      userHooks: { BeforeTool: [{ hooks: [twice, answers(undefined, { name: 'off' })] }] },
      extensions: [
        {
          name: 'sleeping',
          isActive: false,
          hooks: { BeforeTool: [{ hooks: [answers(undefined, { name: 'inactive' })] }] },
        },
      ],
      disabledHooks: ['off'],
    });
    await readFile('a.txt');
    expect(traffic).toHaveRun('looks', { outcome: 'silent', times: 1 });
    expect(traffic).toHaveRun('twice', { times: 1 });
    expect(traffic).toHaveSkipped('twice', { reason: 'duplicate' });
    expect(traffic).toHaveSkipped('answers', { reason: 'matcher-mismatch' });
    expect(traffic).toHaveSkipped('off', { reason: 'disabled' });
    expect(traffic).toHaveSkipped('inactive', { reason: 'source-inactive' });
    expect(traffic.rows('BeforeTool')).toHaveLength(6);
  });

  test('those of a folder that is not trusted, too', async () => {
    const { readFile, traffic } = engineWith({
      trustedFolder: false,
      hooks: { BeforeTool: [{ hooks: [answers({ decision: 'deny' }, { name: 'guard' })] }] },
    });
    expect((await readFile('.env')).llmContent).toBe('hello');
    expect(traffic).toHaveSkipped('guard', { reason: 'untrusted' });
    expect(traffic).not.toHaveBlocked('BeforeTool');
  });
});

describe('a fault is no verdict unless its hook says so', () => {
  test.each([
    ['a command that fails', () => command({ name: 'guard', exit: 3, onFault: 'deny' })],
    ['a command that prints half an answer', () => command({ name: 'guard', prints: '{"decision"', onFault: 'deny' })],
    ['a command that is killed', () => command({ name: 'guard', signal: 'SIGKILL', onFault: 'deny' })],
    ['a function that throws', () => throws(undefined, { name: 'guard', onFault: 'deny' })],
    ['a function that hangs', () => hangs({ name: 'guard', timeout: 20, onFault: 'deny' })],
  ])('%s closes the door it guards, and no other', async (_what, makeHook) => {
    const guard = makeHook();
    const { readFile, traffic } = engineWith({ hooks: { BeforeTool: [{ hooks: [guard] }] } });
    expect((await readFile('.env')).llmContent).toMatch(/^Tool call blocked by hook: /);
    expect(traffic).toHaveBlocked('BeforeTool', { tool: 'read_file', by: 'guard' });
    expect(traffic).toHaveRun('guard', { outcome: 'faulted', times: 1 });

    const open = engineWith({ hooks: { BeforeTool: [{ hooks: [{ ...guard, onFault: 'allow' }] }] } });
    expect((await open.readFile('.env')).llmContent).toMatch(/^hello/);
    expect(open.traffic).not.toHaveBlocked('BeforeTool');
    expect(open.traffic).toHaveRun('guard', { outcome: 'faulted', times: 1 });
  });
});

test('a direct call and a request on the bus take the same path', async () => {
  const guard = command({ name: 'guard', exit: 2, stderr: 'not here' });
  const { bus, readFile, traffic } = engineWith({ hooks: { BeforeTool: [{ hooks: [guard] }] } });
  await readFile('a.txt');
  await requestHooks(bus, 'BeforeTool', { tool_name: 'read_file', tool_input: { path: 'a.txt' } });
  const [direct, asked] = traffic.rows().map(({ startedAt: _at, durationMs: _ms, startupMs: _startMs, ...row }) => row);
  expect(direct).toEqual(asked);
  const [first, second] = guard.received.map(({ timestamp: _timestamp, call_id: _id, ...input }) => input);
  expect(first).toEqual(second);
  expect(guard.received.map(({ call_id }) => typeof call_id)).toEqual(['string', 'undefined']);
  expect(traffic).toHaveRun('guard', { times: 2 });
});

test('a session that begins and ends fires its two events, each once, with all that hooks are promised', async () => {
  const diary = command({ name: 'diary' });
  const { config, traffic } = engineWith({
    sessionId: 's-1',
    hooks: { SessionStart: [{ matcher: 'startup', hooks: [diary] }], SessionEnd: [{ hooks: [diary] }] },
  });
  await fireSessionStartHook(config, 'startup');
  await fireSessionStartHook(config, 'resume');
  await fireSessionEndHook(config, 'exit');
  expect(traffic).toHaveRun('diary', { event: 'SessionStart', times: 1 });
  expect(traffic).toHaveSkipped('diary', { event: 'SessionStart', reason: 'matcher-mismatch' });
  expect(traffic).toHaveRun('diary', { event: 'SessionEnd', times: 1 });
  const base = { session_id: 's-1', cwd: process.cwd(), timestamp: expect.stringMatching(/^\d{4}-/) };
  expect(diary.received).toMatchObject([
    { ...base, hook_event_name: 'SessionStart', source: 'startup' },
    { ...base, hook_event_name: 'SessionEnd', reason: 'exit' },
  ]);
});
