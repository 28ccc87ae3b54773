import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { hookedClient } from '../../src/adapters/mcp/index.ts';
import { createHooks, loadConfig } from '../../src/index.ts';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const cli = join(root, 'dist/cli.js');

type Message = Record<string, unknown>;

const folder = (): string => temporaryFolder('proxy');

/** A folder whose user has a guard that denies every call of a tool; without settings when there is to be none. */
const settled = (settings: object | undefined) => {
  const cwd = folder();
  const home = join(cwd, 'home');
  mkdirSync(join(home, '.hookwright'), { recursive: true });
  if (settings !== undefined) writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify(settings));
  return { cwd, env: { PATH: process.env.PATH ?? '', HOME: home } };
};

const hook = (command: string, event = 'BeforeTool', matcher = '^mcp__files__') => ({
  hooks: { [event]: [{ matcher, hooks: [{ command, name: 'guard' }] }] },
});

const denies = hook(`printf '{"decision":"deny","reason":"not that one"}'`);
const silent = hook('true');

interface Started {
  /** Writes exactly this, and resolves to the next line that the client gets. */
  readonly say: (text: string) => Promise<Message>;
  readonly write: (text: string) => void;
  readonly next: () => Promise<string>;
  readonly received: () => string;
  readonly stderr: () => string;
  readonly end: () => Promise<number | null>;
}

const started = (
  settings: object | undefined,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Started => {
  const where = settled(settings);
  const file = join(where.cwd, 'received');
  const child = spawn(
    process.execPath,
    [cli, 'mcp-proxy', ...args, '--', process.execPath, join(root, 'test/fixtures/mcp/lenient.mjs')],
    { cwd: where.cwd, env: { ...where.env, RECEIVED: file, ...env }, stdio: 'pipe' },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += String(piece);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const write = (text: string): void => void child.stdin.write(`${text}\n`);
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    next,
    write,
    say: async (text) => {
      write(text);
      return z.record(z.string(), z.unknown()).parse(JSON.parse(await next()));
    },
    received: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    stderr: () => stderr,
    end: () => {
      child.stdin.end();
      return exited;
    },
  };
};

const initialize = (id: number = 0): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion: '2025-06-18' } });

const call = (extra: object = {}, params: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'read', arguments: { path: 'a' }, ...params },
    ...extra,
  });

const attacks: readonly [string, string][] = [
  ['without an id', call({ id: undefined })],
  ['with null as its id', call({ id: null })],
  ['with true as its id', call({ id: true })],
  ['with an object as its id', call({ id: { a: 1 } })],
  ['with an id that is not kept', call().replace('"id":7', '"id":12345678901234567890')],
  ['in an empty batch', '[]'],
  ['in a nested batch', `[[${call()}]]`],
  ['with params in a list', call({ params: ['read', { path: 'a' }] })],
  ['without params', call({ params: undefined })],
  ['with a list as its name', call({}, { name: ['read'] })],
  ['with arguments in a list', call({}, { arguments: ['a'] })],
  ['with NaN in it', call().replace('"a"', 'NaN')],
  ['behind a byte order mark', `\ufeff${call()}`],
  ['parted from another message by CR', `{"jsonrpc":"2.0","method":"notifications/initialized"}\r${call()}`],
  ['as "Method"', call().replace('"method"', '"Method"')],
  ['as "Method" beside another method', call().replace('"method"', '"method":"ping","Method"')],
  ['as "method" in letters that fold', call().replace('"params"', '"params":{},"param\u017f"')],
  ['with "Name" beside its name', call({}, { Name: 'write' })],
  ['as tools/Call', call({ method: 'tools/Call' })],
  ['as "tools/call "', call({ method: 'tools/call ' })],
  ['as a task', call({}, { task: { ttl: 1 } })],
  ['of another version of JSON-RPC', call({ jsonrpc: '1.0' })],
  ['with a result beside its method', call({ result: {} })],
];

describe.skipIf(process.platform === 'win32')('R1210 the proxy passes on what it understood', () => {
  beforeAll(buildPackage, 60_000);

  test('over stdio: no call in another form reaches the server, and each is answered with an error', async () => {
    const proxy = started(denies);
    await proxy.say(initialize());
    const known = proxy.received();
    for (const [form, text] of attacks) {
      const answer = await proxy.say(text);
      expect(answer, form).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('mcp-proxy') } });
      expect(proxy.received(), form).toBe(known);
    }
    expect(await proxy.say(call())).toMatchObject({ id: 7, result: { isError: true } });
    expect(proxy.received()).toBe(known);
    expect(await proxy.end()).toBe(0);
  });

  test('unknown methods, notifications and fields inside a known form pass, and so does a call', async () => {
    const proxy = started(silent);
    await proxy.say(initialize());
    expect(
      await proxy.say(
        '{"jsonrpc":"2.0","method":"x/noted","params":{"a":1}}\n{"jsonrpc":"2.0","id":"a","method":"x/asked","params":{"_meta":{"b":2}},"extra":3}',
      ),
    ).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
    expect(await proxy.say(call({}, { _meta: { progressToken: 7 } }))).toMatchObject({
      id: 7,
      result: { content: [{ text: 'did it' }] },
    });
    expect(proxy.received().split('\n').slice(1)).toEqual([
      '{"jsonrpc":"2.0","method":"x/noted","params":{"a":1}}',
      '{"jsonrpc":"2.0","id":"a","method":"x/asked","params":{"_meta":{"b":2}},"extra":3}',
      call({}, { _meta: { progressToken: 7 } }),
      '',
    ]);
  });

  test('what a server writes beside its answers reaches no client, and is told on stderr', async () => {
    const proxy = started(silent);
    expect(await proxy.say(initialize())).toMatchObject({ id: 0 });
    expect(await proxy.say(call())).toMatchObject({ id: 7 });
    expect(proxy.stderr()).toContain('a message of the server was not passed on: expected one JSON value');
    expect(proxy.stderr()).toContain('an answer of the server to no open request was dropped');
  });

  test('a request whose id is still in use is refused: two answers could not be told apart', async () => {
    const proxy = started(hook('sleep 0.3'));
    await proxy.say(initialize());
    expect(await proxy.say(`${call()}\n{"jsonrpc":"2.0","id":7,"method":"ping"}`)).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('is still open') },
    });
    expect(JSON.parse(await proxy.next())).toMatchObject({ id: 7, result: { content: [{ text: 'did it' }] } });
  });

  test('a call that hooks are still asked about when the client ends is passed on', async () => {
    const proxy = started(hook('sleep 0.3'));
    await proxy.say(initialize());
    const answer = proxy.say(call());
    expect(await proxy.end()).toBe(0);
    expect(await answer).toMatchObject({ id: 7, result: { content: [{ text: 'did it' }] } });
  });
});

describe.skipIf(process.platform === 'win32')('R1211 numbers', () => {
  beforeAll(buildPackage, 60_000);

  test('keep their written form, in calls and in results', async () => {
    const proxy = started(hook(`printf '{"hookSpecificOutput":{"tool_input":{"path":"b"}}}'`));
    await proxy.say(initialize());
    proxy.write(call().replace('"path":"a"', '"path":"a","size":1.0,"more":[1e3,{"x":-0.50}]'));
    expect(await proxy.next()).toContain('"structuredContent":{"size":1.0,"id":12345678901234567890}');
    expect(proxy.received()).toContain('"arguments":{"path":"b","size":1.0,"more":[1e3,{"x":-0.50}]}');
  });

  test.each(['12345678901234567890', '1e400', '0.10000000000000000001'])(
    'a call with %s is refused: hooks would see another number than the server',
    async (number) => {
      const proxy = started(silent);
      await proxy.say(initialize());
      const known = proxy.received();
      expect(await proxy.say(call().replace('"a"', number))).toMatchObject({
        error: { message: expect.stringContaining(number) },
      });
      expect(proxy.received()).toBe(known);
    },
  );
});

describe.skipIf(process.platform === 'win32')('R1212 the name of a server', () => {
  beforeAll(buildPackage, 60_000);

  test('no call passes before the server has said it through this proxy, unless --server fixes it', async () => {
    const proxy = started(denies);
    expect(await proxy.say(call())).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('send initialize first') },
    });
    expect(proxy.received()).toBe('');
    await proxy.say(initialize());
    expect(await proxy.say(call())).toMatchObject({ id: 7, result: { isError: true } });
    const named = started(denies, ['--server', 'files'], { NAMES: 'other' });
    expect(await named.say(call())).toMatchObject({ id: 7, result: { isError: true } });
    expect(await named.say(initialize())).toMatchObject({ id: 0, result: { serverInfo: { name: 'other' } } });
    expect(await named.say(call())).toMatchObject({ id: 7, result: { isError: true } });
    expect(named.received()).not.toContain('tools/call');
  });

  test('is told on stderr, and another one later is refused', async () => {
    const proxy = started(denies, [], { NAMES: 'files,innocent' });
    await proxy.say(initialize());
    expect(proxy.stderr()).toContain('hooks know this server as files, the name it reports; --server <name> fixes it');
    expect(await proxy.say(initialize(1))).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('was called files and now says innocent') },
    });
    expect(await proxy.say(call())).toMatchObject({ id: 7, result: { isError: true } });
    expect(proxy.received()).not.toContain('tools/call');
  });

  test('of --server is one that hooks can match', async () => {
    const proxy = started(denies, ['--server', 'my files']);
    expect(await proxy.end()).toBe(64);
  });
});

describe.skipIf(process.platform === 'win32')('R1215 where no hook is enabled', () => {
  beforeAll(buildPackage, 60_000);

  test.each([
    ['no settings', undefined],
    ['hooks switched off', { ...denies, hooksConfig: { enabled: false } }],
  ])('the proxy starts, says so, and passes calls on: %s', async (_title, settings) => {
    const proxy = started(settings);
    await proxy.say(initialize());
    expect(await proxy.say(call())).toMatchObject({ result: { content: [{ text: 'did it' }] } });
    expect(proxy.stderr()).toContain('no hook is enabled here, so all calls pass');
  });

  test('createHooks takes the loaded configuration, and hooks beside it run', async () => {
    const { cwd, env } = settled(undefined);
    const { config } = await loadConfig({ cwd, home: env.HOME });
    const hooks = await createHooks({ config });
    onTestFinished(() => hooks.close());
    const tool = { tool: 'read', input: {} };
    expect(await hooks.beforeTool(tool)).toMatchObject({ verdict: 'none' });
    hooks.on('BeforeTool', () => ({ decision: 'deny', reason: 'no' }));
    expect(await hooks.beforeTool(tool)).toMatchObject({ verdict: 'deny' });
  });
});

describe('R1216 results of MCP servers', () => {
  const connected = async () => {
    const server = new McpServer({ name: 'files', version: '1.0.0' });
    const config = { inputSchema: {}, outputSchema: { size: z.number() } };
    server.registerTool('stat', config, () => ({
      content: [
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'text', text: '{"size":1}' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'the key is 123' } },
      ],
      structuredContent: { size: 1 },
    }));
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(there), client.connect(here)]);
    // Now the client knows the output schema, and holds results to it.
    await client.listTools();
    const hooks = await createHooks();
    onTestFinished(async () => {
      await client.close();
      await hooks.close();
    });
    return { hooks, client: hookedClient(hooks, client, { server: 'files' }) };
  };

  test('context keeps their structure and the order of their parts', async () => {
    const { hooks, client } = await connected();
    hooks.on('AfterTool', () => ({ hookSpecificOutput: { additionalContext: 'be brief' } }));
    expect(await client.callTool({ name: 'stat' })).toEqual({
      content: [
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'text', text: '{"size":1}\n\nbe brief' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'the key is 123' } },
      ],
      structuredContent: { size: 1 },
    });
  });

  test('guards see their structure, and the text of embedded resources', async () => {
    const { hooks, client } = await connected();
    const seen: unknown[] = [];
    hooks.on('AfterTool', ({ tool_response }) => void seen.push(tool_response));
    await client.callTool({ name: 'stat' });
    expect(seen).toMatchObject([{ structuredContent: { size: 1 }, llmContent: '{"size":1}\nthe key is 123' }]);
  });

  test.each(['BeforeTool', 'AfterTool'] as const)('a stop of %s is told in _meta', async (event) => {
    const { hooks, client } = await connected();
    hooks.on(event, () => ({ continue: false, stopReason: 'enough' }));
    expect(await client.callTool({ name: 'stat' })).toMatchObject({
      isError: true,
      _meta: { 'hookwright/stopped': 'enough' },
    });
  });
});

/** A server over HTTP that takes whatever comes for a call and keeps it, and a second one that nothing may reach. */
const lenientServers = async () => {
  const received: string[] = [];
  const take = (host: string) => (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      received.push(`${host} ${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`);
      const { id = 0, method = '' } = body === '' ? {} : JSON.parse(body);
      if (method === 'x/moved') return void response.writeHead(307, { location: '/elsewhere' }).end();
      const serverInfo = { name: 'files', version: '1' };
      const result = method === 'initialize' ? { serverInfo } : { content: [{ type: 'text', text: 'did it' }] };
      if (method !== 'x/streamed') {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const endpoint = 'event: endpoint\ndata: /messages?session=1\n\n';
      response.end(
        `${endpoint}: here\r\rid: 1\ndata:\n\r\nid: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\r\n`,
      );
    });
  };
  const open = async (host: string): Promise<number> => {
    const server = createServer(take(host));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  return { received, port: await open('server'), otherPort: await open('other') };
};

interface Wish {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const overHttp = async (env: Record<string, string> = {}) => {
  const servers = await lenientServers();
  const where = settled(denies);
  const args = [cli, 'mcp-proxy', '--url', `http://127.0.0.1:${servers.port}/mcp?key=1`];
  const child = spawn(process.execPath, args, {
    cwd: where.cwd,
    env: { ...where.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const piece of child.stderr) {
    said += String(piece);
    if (said.includes(' in place of ')) break;
  }
  const [, address = ''] = /give the client (\S+) in place of/.exec(said) ?? [];
  const url = new URL(address);
  /** A request line and headers exactly as given, which `fetch` would mend. */
  const send = ({ method = 'POST', path = `${url.pathname}${url.search}`, headers = {}, body }: Wish) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: url.port,
          method,
          path,
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (piece) => {
            text += String(piece);
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  return { ...servers, url, send, said };
};

describe.skipIf(process.platform === 'win32')('R1213 over HTTP', () => {
  beforeAll(buildPackage, 60_000);

  test('R1210 no call in another form reaches the server, and each is answered with an error', async () => {
    const { send, received } = await overHttp();
    await send({ body: initialize() });
    const known = received.length;
    for (const [form, body] of [...attacks, ['in a batch', `[${call()}]`] as const]) {
      const { status, text } = await send({ body });
      expect({ status, text }, form).toMatchObject({
        status: 400,
        text: expect.stringContaining('"error":{"code":-32'),
      });
    }
    expect(await send({ body: call() })).toMatchObject({ status: 200, text: expect.stringContaining('not that one') });
    expect(received).toHaveLength(known);
  });

  test('the URL is the server’s own, whatever the request line says; its query stays with the proxy', async () => {
    const { send, received, otherPort, url, said } = await overHttp();
    const headers = { authorization: 'Bearer of the client' };
    for (const path of [`//127.0.0.1:${otherPort}/x`, `http://127.0.0.1:${otherPort}/x`, '/x', '/mcp/../x', '/']) {
      for (const method of ['GET', 'POST']) {
        const wish = {
          method,
          path: `${path}${url.search}`,
          headers,
          ...(method === 'GET' ? {} : { body: initialize() }),
        };
        expect((await send(wish)).status, `${method} ${path}`).toBe(404);
      }
    }
    expect(received).toEqual([]);
    await send({ headers, path: `http://127.0.0.1:${otherPort}/mcp${url.search}`, body: initialize() });
    expect(received).toEqual([`server POST /mcp?key=1 Bearer of the client ${initialize()}`]);
    expect(said).not.toContain('key=1');
  });

  test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('a call does not pass as %s', async (method) => {
    const { send, received } = await overHttp();
    expect((await send({ method, body: call() })).status).toBe(405);
    expect(received).toEqual([]);
  });

  test('a redirect is an error: the client would follow it past the hooks', async () => {
    const { send } = await overHttp();
    const { status, text } = await send({ body: '{"jsonrpc":"2.0","id":1,"method":"x/moved"}' });
    expect(status).toBe(502);
    expect(text).toContain('the server redirects to /elsewhere; start the proxy with that address');
  });

  test('of a stream of events those with messages pass, and no other address is told', async () => {
    const { send } = await overHttp();
    const { text } = await send({ body: '{"jsonrpc":"2.0","id":1,"method":"x/streamed"}' });
    const message = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"did it"}]}}';
    expect(text).toBe(`event: endpoint\n\n: here\n\nid: 1\ndata: \n\nid: 2\ndata: ${message}\n\n`);
  });

  test('no call passes before the server has said its name through this proxy', async () => {
    const { send, received } = await overHttp();
    expect((await send({ body: call() })).text).toContain('send initialize first');
    expect(received).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('R1214 over HTTP the proxy admits whom the inspector would', () => {
  beforeAll(buildPackage, 60_000);

  test.each<[string, Wish, number]>([
    ['without the token', { path: '/mcp' }, 401],
    ['with another token', { path: '/mcp?token=0123456789abcdef' }, 401],
    [
      'with the token as that of the server',
      { path: '/mcp', headers: { authorization: 'Bearer fixed-fixed-fixed' } },
      401,
    ],
    ['of a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['of a page at another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['from another origin', { headers: { origin: 'https://example.com' } }, 403],
    ['for another host', { headers: { host: 'example.com' } }, 421],
    ['of another type', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('a request %s is refused', async (_title, wish, status) => {
    const { send, received } = await overHttp({ HOOKWRIGHT_PROXY_TOKEN: 'fixed-fixed-fixed' });
    expect((await send({ ...wish, body: initialize() })).status).toBe(status);
    expect(received).toEqual([]);
  });

  test('the token is part of the address, and may be fixed', async () => {
    const { url, send } = await overHttp({ HOOKWRIGHT_PROXY_TOKEN: 'fixed-fixed-fixed' });
    expect(url.search).toBe('?token=fixed-fixed-fixed');
    expect((await send({ body: initialize() })).status).toBe(200);
    const { url: made } = await overHttp();
    expect(made.searchParams.get('token')).toMatch(/^[\w-]{32}$/);
  });
});
