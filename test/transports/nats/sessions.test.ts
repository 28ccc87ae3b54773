import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commands, runCli } from '../../../src/cli/index.ts';
import { createHooks, loadConfig, MessageBus, requestHooks } from '../../../src/index.ts';
import { backtest } from '../../../src/sessions/backtest/index.ts';
import { replay, type SessionEntry } from '../../../src/sessions/index.ts';
import { natsTransport, readStream, recordStream } from '../../../src/transports/index.ts';
import { fn, groupOf } from '../../support/engine.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const collect = async (entries: AsyncIterable<SessionEntry>): Promise<SessionEntry[]> => {
  const all: SessionEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
};

const shell = (command: string) => ({ tool_name: 'shell', tool_input: { command } });
const guard = fn('guard', ({ tool_input }) =>
  JSON.stringify(tool_input).includes('rm') ? { decision: 'deny', reason: 'no' } : { decision: 'allow' },
);

const temporaryDirectory = (): string => temporaryFolder('stream');

const commandLine = async (cwd: string, ...words: string[]) => {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const texts = streams.map((stream) => {
    const pieces: string[] = [];
    stream.setEncoding('utf8').on('data', (piece) => pieces.push(String(piece)));
    return pieces;
  });
  const [stdout, stderr] = streams.map((stream) => Object.assign(stream, { isTTY: false, columns: 200 }));
  if (stdout === undefined || stderr === undefined) throw new Error('unreachable: there are two');
  const code = await runCli(
    {
      argv: ['node', 'hookwright', ...words],
      env: { HOME: cwd },
      stdin: Readable.from([]),
      stdout,
      stderr,
      cwd: () => cwd,
      exit: () => {},
      on: () => {},
    },
    commands,
  );
  const [out = [], err = []] = texts;
  return { code, out: out.join(''), err: err.join('') };
};

describe.skipIf(!hasNatsServer)(withNats('sessions in a stream'), () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer('jetstream { store_dir: "STORE" }');
  });
  afterAll(() => server.stop());

  const enter = async (prefix: string) => {
    const transport = natsTransport({ servers: server.url, prefix });
    onTestFinished(() => transport.close());
    await transport.ready();
    return { transport, bus: new MessageBus({ transport }) };
  };

  test('a session that three hosts of a group record is one, in order, with every message once', async () => {
    const options = { servers: server.url, prefix: 'three', session: 'night' };
    const recordings = [];
    for (let host = 0; host < 3; host += 1) {
      const { bus, transport } = await enter('three');
      const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(guard) } });
      onTestFinished(() => hooks.close());
      recordings.push(await recordStream(bus, options));
      await transport.flush();
    }
    const caller = await enter('three');
    for (let asked = 0; asked < 20; asked += 1) {
      await requestHooks(caller.bus, 'BeforeTool', shell(asked % 2 === 0 ? `rm ${asked}` : `ls ${asked}`));
    }
    // What hosts tell beside an answer may still be on its way.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const kept = await Promise.all(recordings.map((recording) => recording.close()));
    const session = readStream(options);
    const entries = await collect(session);
    expect(entries).toHaveLength(20 * 5);
    expect(kept.reduce((sum, { messages }) => sum + messages, 0)).toBe(100);
    expect(kept.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(200);
    expect(kept.every(({ failed }) => failed === 0)).toBe(true);
    expect(session.problems).toEqual([]);
    const times = entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    const first = new Map<string, string>();
    for (const { message } of entries)
      if (!first.has(message.correlationId)) first.set(message.correlationId, message.type);
    expect(new Set(first.values())).toEqual(new Set(['hook-execution-request']));
    const commands = entries.flatMap(({ message }) =>
      message.type === 'hook-execution-request' ? [message.payload?.tool_input] : [],
    );
    expect(commands).toEqual(Array.from({ length: 20 }, (_, n) => ({ command: `${n % 2 === 0 ? 'rm' : 'ls'} ${n}` })));
  });

  test('agents that never heard of each other record one session, and replay and backtest take it as any other', async () => {
    const options = { servers: server.url, prefix: 'agents', session: 'a b.c' };
    for (const name of ['one', 'two', 'three']) {
      const bus = new MessageBus();
      const recording = await recordStream(bus, options);
      const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(guard) } });
      await hooks.beforeTool({ tool: 'shell', input: { command: `rm ${name}` } });
      expect(await recording.close()).toMatchObject({ duplicates: 0, failed: 0 });
      await hooks.close();
    }
    const session = readStream(options);
    expect(await session.header()).toMatchObject({ session: 'a b.c', version: 1 });
    const bus = new MessageBus();
    const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(guard) } });
    onTestFinished(() => hooks.close());
    const { pairs, problems } = await replay(session, bus, { mode: 'drive' });
    expect([pairs.map(({ same }) => same), problems]).toEqual([[true, true, true], []]);
    const { config } = await loadConfig({ files: [] });
    const report = await backtest(session, config);
    expect(report.total).toBe(3);
    expect(await collect(session.entries({ events: ['AfterTool'] }))).toEqual([]);
  });

  test('the commands replay and backtest take it from the broker, and say when it is not there', {
    timeout: 20_000,
  }, async () => {
    const bus = new MessageBus();
    const recording = await recordStream(bus, { servers: server.url, prefix: 'cli', session: 'night' });
    const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(guard) } });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'rm x' } });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'ls' } });
    await hooks.close();
    await recording.close();
    const cwd = temporaryDirectory();
    vi.stubEnv('HOME', cwd);
    onTestFinished(() => void vi.unstubAllEnvs());
    const broker = ['--nats', server.url, '--prefix', 'cli'];
    const replayed = await commandLine(cwd, 'replay', '--stream', 'night', ...broker);
    expect(replayed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/BeforeTool shell[\s\S]*deny[\s\S]*messages of night/),
    });
    const backtested = await commandLine(cwd, 'backtest', '--stream', 'night', ...broker, '--json');
    expect(JSON.parse(backtested.out)).toMatchObject({ data: { session: 'nats:hookwright-sessions/night', total: 2 } });
    const missing = await commandLine(cwd, 'backtest', '--stream', 'never', ...broker);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('there is no such session') });
    const both = await commandLine(cwd, 'replay', 'last', '--stream', 'night', ...broker);
    expect(both).toMatchObject({ code: 64, err: expect.stringContaining('--stream cannot be combined') });
    const alone = await commandLine(cwd, 'replay', ...broker);
    expect(alone).toMatchObject({ code: 64, err: expect.stringContaining('add --stream <session>') });
  });

  test('secrets are taken out before anything leaves, and what cannot be kept is told', async () => {
    const options = { servers: server.url, prefix: 'secrets', session: 's' };
    const problems: string[] = [];
    const bus = new MessageBus();
    const recording = await recordStream(bus, { ...options, onProblem: ({ message }) => problems.push(message) });
    const hooks = await createHooks({ bus });
    await hooks.beforeTool({ tool: 'shell', input: { password: 'hunter2', command: 'ls' } });
    await hooks.beforeTool({ tool: 'shell', input: { list: Array.from({ length: 200_000 }, () => 'xxxxxxxx') } });
    expect(await recording.close()).toMatchObject({ redacted: 1, failed: 1 });
    expect(problems).toEqual([expect.stringMatching(/is not in the session s: .*max_payload/)]);
    await hooks.close();
    const entries = await collect(readStream(options));
    expect(JSON.stringify(entries)).not.toContain('hunter2');
    expect(entries[0]?.redacted).toEqual(['payload.tool_input.password']);
  });

  test('a session that is not there is empty, and a broker without streams says so', async () => {
    const none = readStream({ servers: server.url, prefix: 'none', session: 'never' });
    expect(await collect(none)).toEqual([]);
    await expect(none.header()).rejects.toThrow('there is no such session');
    const plain = await startNatsServer();
    onTestFinished(() => plain.stop());
    const recording = recordStream(new MessageBus(), { servers: plain.url, session: 's' });
    await expect(recording).rejects.toMatchObject({ code: 'not_supported', message: expect.stringContaining('-js') });
    await expect(recordStream(new MessageBus(), { servers: server.url, session: '' })).rejects.toThrow('session');
    expect(() => readStream({ servers: server.url, session: 's', stream: 'a.b' })).toThrow('stream');
  });
});
