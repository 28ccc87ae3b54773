import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Bus, MessageBus } from '../../../src/bus/index.ts';
import { createHooks, defineHook } from '../../../src/index.ts';
import { type InspectorOptions, type InspectorSource, openInspector } from '../../../src/inspector/index.ts';
import { MessageBusType } from '../../../src/protocol/index.ts';
import { readSession, record } from '../../../src/sessions/index.ts';
import { temporaryDirectory } from './support.ts';

const open = async (source: InspectorSource, options?: InspectorOptions) => {
  const inspector = await openInspector(source, options);
  onTestFinished(() => inspector.close());
  const url = new URL(inspector.url);
  const token = url.searchParams.get('token') ?? '';
  const at = (path: string, query = {}): string => `${url.origin}${path}?${new URLSearchParams({ ...query, token })}`;
  return { inspector, url, token, at };
};

/** What a server answers to these very bytes. */
const raw = (port: number, text: string, host = '127.0.0.1'): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(text));
    let answer = '';
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (piece) => {
      answer += piece.toString();
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });

const statusOf = async (port: number, lines: readonly string[], body = ''): Promise<string> =>
  /^HTTP\/1\.1 (\d+)/.exec(await raw(port, `${lines.join('\r\n')}\r\n\r\n${body}`))?.[1] ?? 'none';

/** Reads the stream of a page until it said enough. */
const streamUntil = (address: string, isEnough: (text: string) => boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request(address, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (!isEnough(text)) return;
        asked.destroy();
        resolve(text);
      });
      response.on('error', () => undefined);
    });
    asked.on('error', reject).end();
    asked.setTimeout(8_000, () => asked.destroy(new Error('the stream did not say it')));
  });

const eventsIn = (text: string, name: string): unknown[] =>
  [...text.matchAll(/event: (\S+)\ndata: (.*)\n\n/g)]
    .filter(([, of]) => of === name)
    .map(([, , data = '']) => JSON.parse(data));

const ask = (bus: Bus, correlationId: string, payload: Record<string, unknown>): Promise<unknown> =>
  bus.request(
    { type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId, eventName: 'BeforeTool', payload },
    MessageBusType.HOOK_EXECUTION_RESPONSE,
  );

const guarded = () =>
  createHooks({
    hooks: [
      defineHook({
        event: 'BeforeTool',
        name: 'no-rm',
        run: ({ tool_input }) =>
          tool_input.command === 'rm' ? { decision: 'deny', reason: '<img src=x onerror=alert(1)>' } : undefined,
      }),
    ],
  });

describe('F67 R930 only our own page, with the token, gets an answer', () => {
  const host = (port: number): string => `Host: 127.0.0.1:${port}`;

  test.each([
    ['a foreign Host', '421', () => ['GET /?token=TOKEN HTTP/1.1', 'Host: evil.example']],
    [
      'a foreign Host with our port',
      '421',
      (port: number) => ['GET /?token=TOKEN HTTP/1.1', `Host: evil.example:${port}`],
    ],
    [
      'a foreign Origin',
      '403',
      (port: number) => ['GET /events?token=TOKEN HTTP/1.1', host(port), 'Origin: http://evil.example'],
    ],
    [
      'an Origin of another port',
      '403',
      (port: number) => ['GET /?token=TOKEN HTTP/1.1', host(port), 'Origin: http://127.0.0.1:1'],
    ],
    [
      'a page that may not say its origin',
      '403',
      (port: number) => ['GET /?token=TOKEN HTTP/1.1', host(port), 'Origin: null'],
    ],
    [
      'a request from another site',
      '403',
      (port: number) => ['GET /?token=TOKEN HTTP/1.1', host(port), 'Sec-Fetch-Site: cross-site'],
    ],
    [
      'a simple POST',
      '415',
      (port: number) => [
        'POST /answer?token=TOKEN HTTP/1.1',
        host(port),
        'Content-Type: text/plain',
        'Content-Length: 0',
      ],
    ],
    ['no token', '401', (port: number) => ['GET / HTTP/1.1', host(port)]],
    ['no token for the stream', '401', (port: number) => ['GET /events HTTP/1.1', host(port)]],
    ['a wrong token', '401', (port: number) => ['GET /?token=wrong HTTP/1.1', host(port)]],
    [
      'a WebSocket from a page',
      '403',
      (port: number) => [
        'GET /?token=TOKEN HTTP/1.1',
        host(port),
        'Origin: http://evil.example',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ],
    ],
    [
      'a WebSocket without a token',
      '401',
      (port: number) => [
        'GET / HTTP/1.1',
        host(port),
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ],
    ],
    [
      'another way',
      '405',
      (port: number) => [
        'POST /events?token=TOKEN HTTP/1.1',
        host(port),
        'Content-Type: application/json',
        'Content-Length: 0',
      ],
    ],
    ['what is not there', '404', (port: number) => ['GET /../package.json?token=TOKEN HTTP/1.1', host(port)]],
    ['our page', '200', (port: number) => ['GET /?token=TOKEN HTTP/1.1', host(port)]],
  ])('%s: %s', async (_what, status, lines) => {
    const { url, token } = await open(new MessageBus());
    const port = Number(url.port);
    expect(
      await statusOf(
        port,
        lines(port).map((line) => line.replace('TOKEN', token)),
      ),
    ).toBe(status);
  });

  test('the page allows nothing but its own script, and the same page has another nonce each time', async () => {
    const { inspector } = await open(new MessageBus());
    const [first, second] = await Promise.all([fetch(inspector.url), fetch(inspector.url)]);
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toBe(second.headers.get('content-security-policy'));
    expect(first.headers.get('access-control-allow-origin')).toBeNull();
    expect(await first.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
  });

  test('nothing listens at another address of this machine', async () => {
    const { url } = await open(new MessageBus());
    const others = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter(({ internal }) => !internal));
    for (const { address } of others.filter(({ family }) => family === 'IPv4')) {
      await expect(raw(Number(url.port), 'GET / HTTP/1.1\r\n\r\n', address)).rejects.toThrow();
    }
    expect(await raw(Number(url.port), 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('421');
  });

  test('a port that is taken is said', async () => {
    const { url } = await open(new MessageBus());
    await expect(openInspector(new MessageBus(), { port: Number(url.port) })).rejects.toThrow(
      /port \d+ cannot be listened on/,
    );
  });

  test('what is neither a bus nor a session is refused', async () => {
    // @ts-expect-error what somebody without types may write
    await expect(openInspector('session.jsonl')).rejects.toThrow('openInspector shows a bus or a session');
  });
});

describe('R931 a bus is followed', () => {
  test('requests with verdict, duration and runs; secrets are taken out', async () => {
    const hooks = await guarded();
    const { at } = await open(hooks.bus);
    await ask(hooks.bus, 'a', { tool_name: 'sh', tool_input: { command: 'rm', password: 'hunter2' } });
    const text = await streamUntil(at('/events'), (said) => said.includes('"verdict":"deny"'));
    const [batch] = eventsIn(text, 'requests').slice(-1);
    expect(batch).toMatchObject([
      {
        id: 'a',
        event: 'BeforeTool',
        subject: 'sh',
        state: 'done',
        verdict: 'deny',
        runs: [['no-rm', expect.any(Number), 'answered']],
      },
    ]);
    const story = await (await fetch(at('/request', { id: 'a' }))).text();
    expect(JSON.parse(story)).toMatchObject({
      trace: { rows: [{ name: 'no-rm', fields: { decision: { fate: 'applied' } } }] },
    });
    expect(story).not.toContain('hunter2');
    expect((await fetch(at('/request', { id: 'b' }))).status).toBe(404);
    await hooks.close();
  });

  test('R2077 two requests with one id are two, each with its own verdict and rows', async () => {
    const hooks = await guarded();
    const { at } = await open(hooks.bus);
    await ask(hooks.bus, 'call', { tool_name: 'sh', tool_input: { command: 'ls' } });
    await ask(hooks.bus, 'call', { tool_name: 'sh', tool_input: { command: 'rm' } });
    const said = await streamUntil(at('/events'), (text) => text.includes('"deny"'));
    const requests = eventsIn(said, 'requests').flat();
    const ms: unknown = expect.any(Number);
    const shown = (part: object): unknown => expect.objectContaining(part);
    expect(requests).toContainEqual(shown({ gist: 'ls', verdict: 'none', runs: [['no-rm', ms, 'silent']] }));
    expect(requests).toContainEqual(shown({ gist: 'rm', verdict: 'deny', runs: [['no-rm', ms, 'answered']] }));
    await hooks.close();
  });

  test('a page that does not read holds nobody up and gets the latest of everything later', async () => {
    const hooks = await guarded();
    const { url, token, at } = await open(hooks.bus);
    const slow = connect(Number(url.port), '127.0.0.1');
    slow.pause();
    slow.write(`GET /events?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${url.port}\r\n\r\n`);
    for (let index = 0; index < 1_000; index += 1) {
      await ask(hooks.bus, `request-${index}`, { tool_name: 'sh', tool_input: { command: 'ls' } });
      if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await streamUntil(at('/events'), (said) => said.includes('"request-999"'));
    slow.resume();
    let got = '';
    await new Promise<void>((resolve) => {
      slow.on('data', (piece) => {
        got += piece.toString();
        if (got.includes('"request-999"')) resolve();
      });
    });
    slow.destroy();
    await hooks.close();
  });

  test('close ends the pages; twice is once', async () => {
    const { inspector, at } = await open(new MessageBus());
    const response = await fetch(at('/events'));
    await Promise.all([inspector.close(), inspector.close()]);
    await response.text().catch(() => 'cut');
    await expect(fetch(inspector.url)).rejects.toThrow();
  });
});

describe('R932 questions are answered only where the page was opened for it', () => {
  const question = (bus: MessageBus): void =>
    bus.publish({
      type: MessageBusType.HOOK_CONFIRMATION_REQUEST,
      correlationId: 'q',
      eventName: 'BeforeTool',
      reason: 'sure?',
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
  const reply = (address: string, body: unknown): Promise<Response> =>
    fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  test('not by a page that only shows', async () => {
    const bus = new MessageBus();
    const { at } = await open(bus);
    question(bus);
    expect((await reply(at('/answer'), { id: 'q', approved: true })).status).toBe(403);
  });

  test('once, and only while somebody waits', async () => {
    const bus = new MessageBus();
    const answers: unknown[] = [];
    bus.subscribe(MessageBusType.HOOK_CONFIRMATION_RESPONSE, (message) => answers.push(message));
    const { at } = await open(bus, { answer: true });
    question(bus);
    await streamUntil(at('/events'), (said) => said.includes('"asking"'));
    expect((await reply(at('/answer'), { id: 'other', approved: true })).status).toBe(409);
    expect((await reply(at('/answer'), { id: 'q', approved: 'yes' })).status).toBe(400);
    expect((await reply(at('/answer'), { id: 'q', approved: true })).status).toBe(200);
    expect(answers).toEqual([
      { type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId: 'q', approved: true, by: 'inspector' },
    ]);
    await streamUntil(at('/request', { id: 'q' }), (said) => said.includes('"by":"inspector"'));
    expect((await reply(at('/answer'), { id: 'q', approved: false })).status).toBe(409);
  });

  test('R944 and a question that nobody answered in time is over, on the page too', async () => {
    const bus = new MessageBus();
    const { at } = await open(bus, { answer: true });
    bus.publish({
      type: MessageBusType.HOOK_CONFIRMATION_REQUEST,
      correlationId: 'q',
      eventName: 'BeforeTool',
      reason: 'sure?',
      expiresAt: new Date(Date.now() + 300).toISOString(),
    });
    const text = await streamUntil(at('/events'), (said) => said.includes('"state":"done"'));
    expect(eventsIn(text, 'requests').flat()).toMatchObject([{ state: 'asking' }, { state: 'done', verdict: 'ask' }]);
    expect((await reply(at('/answer'), { id: 'q', approved: true })).status).toBe(409);
  });

  test('not in a recording', async () => {
    const file = join(temporaryDirectory(), 'session.jsonl');
    writeFileSync(file, '');
    await expect(openInspector(readSession(file), { answer: true })).rejects.toThrow('over a bus, not in a recording');
  });
});

describe('R933 a session is shown whole', () => {
  test('its requests, at their times, with the line they stand in', async () => {
    const file = join(temporaryDirectory(), 'session.jsonl');
    const hooks = await guarded();
    const recording = record(hooks.bus, { file });
    for (const command of ['ls', 'rm']) await hooks.beforeTool({ tool: 'sh', input: { command } });
    await recording.close();
    await hooks.close();
    const { inspector, at } = await open(readSession(file));
    await inspector.ended;
    const text = await streamUntil(at('/events'), (said) => said.includes('"isOver":true'));
    const [batch] = eventsIn(text, 'requests');
    expect(batch).toMatchObject([{ verdict: 'none' }, { verdict: 'deny', reason: '<img src=x onerror=alert(1)>' }]);
    const [first] = eventsIn(text, 'requests').flat();
    const { id } = first as { id: string };
    expect(await (await fetch(at('/request', { id }))).json()).toMatchObject({ line: 2 });
  });

  test('R943 what each hook of a sequence read, its start, and the words by which a request is known', async () => {
    const file = join(temporaryDirectory(), 'session.jsonl');
    const answer = JSON.stringify({ hookSpecificOutput: { tool_input: { command: 'ls -l' } } });
    const command = (name: string, text: string) => ({ type: 'command' as const, name, command: `echo '${text}'` });
    const hooks = await createHooks({
      hooks: {
        BeforeTool: [{ sequential: true, hooks: [command('longer', answer), command('last', '{}')] }],
      },
    });
    const recording = record(hooks.bus, { file });
    await hooks.beforeTool({ tool: 'sh', input: { command: 'ls\n  ' } });
    await recording.close();
    await hooks.close();
    const { inspector, at } = await open(readSession(file));
    await inspector.ended;
    const text = await streamUntil(at('/events'), (said) => said.includes('"isOver":true'));
    const [batch] = eventsIn(text, 'requests');
    expect(batch).toMatchObject([{ gist: 'ls', subject: 'sh' }]);
    const [, id = ''] = /"id":"([^"]+)"/.exec(text) ?? [];
    const story: unknown = await (await fetch(at('/request', { id }))).json();
    const read = (words: string) => ({
      hook_event_name: 'BeforeTool',
      tool_name: 'sh',
      tool_input: { command: words },
    });
    expect(story).toMatchObject({
      inputs: [read('ls\n  '), read('ls -l')],
      trace: { rows: [{ startupMs: expect.any(Number) }, { startupMs: expect.any(Number) }] },
    });
  });

  test('a file that is no session is said on the page', async () => {
    const file = join(temporaryDirectory(), 'session.jsonl');
    writeFileSync(file, '{"name":"my-package"}\n');
    const { at } = await open(readSession(file));
    const text = await streamUntil(at('/events'), (said) => said.includes('"isOver":true'));
    expect(eventsIn(text, 'state').at(-1)).toMatchObject({ isOver: true, problem: expect.stringContaining('session') });
  });
});
