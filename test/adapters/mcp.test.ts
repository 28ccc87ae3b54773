import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolResultSchema, ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { hookedClient } from '../../src/adapters/mcp/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const tool = 'mcp__files__read';

/** A client of a server in this process whose one tool says which path it was asked for. */
const connected = async () => {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  const ran: string[] = [];
  server.registerTool('read', { inputSchema: { path: z.string() } }, ({ path }) => {
    ran.push(path);
    if (path === 'gone') return { content: [{ type: 'text', text: 'no such file' }], isError: true };
    return {
      content: [
        { type: 'text', text: `content of ${path}` },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, ran };
};

const engine = async (): Promise<Hooks> => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  return hooks;
};

describe('R950 a client with hooks', () => {
  test('what no hook minds comes back as it came, pictures included', async () => {
    const { client } = await connected();
    const call = { name: 'read', arguments: { path: 'a' } };
    const bare = await client.callTool(call);
    expect(await hookedClient(await engine(), client, { server: 'files' }).callTool(call)).toEqual(bare);
  });

  test('a refused call is a failed one, and does not reach the server', async () => {
    const { client, ran } = await connected();
    const hooks = await engine();
    const seen: unknown[] = [];
    hooks.on('BeforeTool', ({ tool_name, mcp_context }) => {
      seen.push({ tool_name, mcp_context });
      return { decision: 'deny', reason: 'not that one' };
    });
    const result = await hookedClient(hooks, client, { server: 'files' }).callTool({
      name: 'read',
      arguments: { path: 'a' },
    });
    expect(result).toEqual({
      content: [{ type: 'text', text: 'Tool call blocked by hook: not that one' }],
      isError: true,
    });
    expect(seen).toEqual([{ tool_name: tool, mcp_context: { server_name: 'files', tool_name: 'read' } }]);
    expect(ran).toEqual([]);
  });

  test('a call that is sent as a plain request passes its hooks too, and one as a task is refused', async () => {
    const { client, ran } = await connected();
    const hooks = await engine();
    hooks.on('BeforeTool', ({ tool_input }) =>
      tool_input.path === 'a'
        ? { hookSpecificOutput: { tool_input: { path: 'b' } } }
        : { decision: 'deny', reason: 'no' },
    );
    const { request, listTools } = hookedClient(hooks, client, { server: 'files' });
    const read = (path: string, more: object = {}) =>
      request({ method: 'tools/call', params: { name: 'read', arguments: { path }, ...more } }, CallToolResultSchema);
    expect(await read('c')).toMatchObject({ isError: true });
    expect(await read('a')).toMatchObject({ content: [{ text: expect.stringContaining('content of b') }, {}] });
    await expect(read('a', { task: {} })).rejects.toMatchObject({ code: 'not_supported' });
    expect(ran).toEqual(['b']);
    expect((await listTools()).tools).toHaveLength(1);
  });

  test('R2022 a call as a task or a stream, whose results no hook would see, is refused, whichever method makes it', async () => {
    const { client, ran } = await connected();
    const hooked = hookedClient(await engine(), client, { server: 'files' });
    const call = { name: 'read', arguments: { path: 'a' } };
    const stream = { method: 'tools/call' as const, params: call };
    const calls = [
      async () => hooked.callTool({ ...call, task: {} }),
      async () => hooked.callTool(call, undefined, { task: {} }),
      async () => hooked.experimental.tasks.callToolStream(call).next(),
      async () => hooked.experimental.tasks.requestStream(stream, CallToolResultSchema).next(),
      async () => Reflect.get(hooked, 'requestStream')(stream, CallToolResultSchema).next(),
    ];
    for (const made of calls) await expect(made()).rejects.toMatchObject({ code: 'not_supported' });
    expect(ran).toEqual([]);
    const list = hooked.experimental.tasks.requestStream({ method: 'tools/list' }, ListToolsResultSchema);
    expect((await list.next()).value).toMatchObject({ type: 'result', result: { tools: [{ name: 'read' }] } });
  });

  test('changed arguments are those the server gets; context and a withheld result reach the model', async () => {
    const { client, ran } = await connected();
    const hooks = await engine();
    hooks.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { path: 'b' } } }));
    const off = hooks.on('AfterTool', () => ({ hookSpecificOutput: { additionalContext: 'be brief' } }));
    const hooked = hookedClient(hooks, client, { server: 'files' });
    const { content } = await hooked.callTool({ name: 'read', arguments: { path: 'a' } });
    expect(ran).toEqual(['b']);
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/content of b[\s\S]*be brief/) },
      { type: 'image' },
    ]);
    off();
    hooks.on('AfterTool', () => ({ decision: 'deny', reason: 'it holds a key' }));
    const withheld = await hooked.callTool({ name: 'read', arguments: { path: 'a' } });
    expect(withheld).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('it holds a key') }] });
  });

  test('a failed call stays one, and hooks see that it failed', async () => {
    const { client } = await connected();
    const hooks = await engine();
    const seen: unknown[] = [];
    hooks.on('AfterTool', () => void seen.push('after'));
    hooks.on('AfterToolFailure', ({ error }) => void seen.push(error));
    const result = await hookedClient(hooks, client, { server: 'files' }).callTool({
      name: 'read',
      arguments: { path: 'gone' },
    });
    expect(result.isError).toBe(true);
    expect(seen).toEqual(['no such file']);
  });

  test('a cancelled call runs nothing', async () => {
    const { client, ran } = await connected();
    const hooked = hookedClient(await engine(), client, { server: 'files' });
    const call = hooked.callTool({ name: 'read', arguments: { path: 'a' } }, undefined, {
      signal: AbortSignal.abort(new Error('left')),
    });
    await expect(call).rejects.toThrow('left');
    expect(ran).toEqual([]);
  });

  test('the rest of the client is as it was, and a server needs a name', async () => {
    const { client } = await connected();
    const hooks = await engine();
    expect((await hookedClient(hooks, client, { server: 'files' }).listTools()).tools.map(({ name }) => name)).toEqual([
      'read',
    ]);
    expect(() => hookedClient(hooks, client, { server: 'my files' })).toThrow('hookedClient needs {server}');
  });
});

const root = join(import.meta.dirname, '../..');

describe.skipIf(process.platform === 'win32')('R951 hookwright mcp-proxy', () => {
  beforeAll(buildPackage, 60_000);

  /** A folder whose user has this hook. */
  const settled = (hook: string) => {
    const cwd = temporaryFolder('mcp');
    const home = join(cwd, 'home');
    mkdirSync(join(home, '.hookwright'), { recursive: true });
    writeFileSync(
      join(home, '.hookwright/settings.json'),
      JSON.stringify({
        hooks: { BeforeTool: [{ matcher: '^mcp__files__read$', hooks: [{ command: hook, name: 'guard' }] }] },
      }),
    );
    return { cwd, env: { PATH: process.env.PATH ?? '', HOME: home } };
  };

  const proxied = async (hook: string): Promise<Client> => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        join(root, 'dist/cli.js'),
        'mcp-proxy',
        '--',
        process.execPath,
        join(root, 'test/fixtures/mcp/server.mjs'),
      ],
      ...settled(hook),
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  };

  test('a hook of the settings refuses a call; everything else passes', async () => {
    const client = await proxied(`printf '{"decision":"deny","reason":"not that one"}'`);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'fail', 'wait']);
    expect(await client.callTool({ name: 'read', arguments: { path: 'a' } })).toEqual({
      content: [{ type: 'text', text: 'Tool call blocked by hook: not that one' }],
      isError: true,
    });
    expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
    expect(
      await client.callTool({ name: 'nope', arguments: {} }).catch((error: Error) => ({ isError: true, error })),
    ).toMatchObject({ isError: true });
    const left = new AbortController();
    const waiting = client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: left.signal });
    left.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect((await client.listTools()).tools).toHaveLength(3);
  });

  test('a hook changes what the server is asked for', async () => {
    const client = await proxied(`printf '{"hookSpecificOutput":{"tool_input":{"path":"b"}}}'`);
    expect(await client.callTool({ name: 'read', arguments: { path: 'a' } })).toMatchObject({
      content: [{ text: expect.stringMatching(/^content of b/) }],
    });
  });

  test('a call in a batch is a call, too', async () => {
    const { cwd, env } = settled(`printf '{"decision":"deny","reason":"not that one"}'`);
    const server = join(root, 'test/fixtures/mcp/server.mjs');
    const args = [join(root, 'dist/cli.js'), 'mcp-proxy', '--server', 'files', '--', process.execPath, server];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const params = { name: 'read', arguments: { path: 'a' } };
    child.stdin.write(`${JSON.stringify([{ jsonrpc: '2.0', id: 7, method: 'tools/call', params }])}\n`);
    const [said] = await once(child.stdout, 'data');
    expect(JSON.parse(String(said))).toMatchObject({ id: 7, result: { isError: true } });
  });

  describe.each([
    ['streams', false],
    ['plain answers', true],
  ])('over HTTP, with %s', (_title, enableJsonResponse) => {
    /** A server over HTTP, and the address of the proxy in front of it. */
    const reached = async (hook: string) => {
      const ran: string[] = [];
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse });
      const server = new McpServer({ name: 'files', version: '1.0.0' }, { capabilities: { logging: {} } });
      server.registerTool('read', { inputSchema: { path: z.string() } }, async ({ path }, { sendNotification }) => {
        ran.push(path);
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: `reading ${path}` } });
        return { content: [{ type: 'text', text: `content of ${path}` }] };
      });
      server.registerTool('wait', { inputSchema: {} }, async (_args, { signal }) => {
        ran.push('waits');
        await once(signal, 'abort');
        ran.push('left');
        return { content: [] };
      });
      await server.server.connect(Object.assign(transport, { onclose: () => {} }));
      const http = createServer((request, response) => void transport.handleRequest(request, response));
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      onTestFinished(async () => {
        await server.close();
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      });
      const address = http.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const args = [join(root, 'dist/cli.js'), 'mcp-proxy', '--url', `http://127.0.0.1:${port}/mcp`];
      const child = spawn(process.execPath, args, { ...settled(hook), stdio: ['ignore', 'ignore', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      for await (const piece of child.stderr) {
        said += String(piece);
        if (/give the client (\S+) in place of/.test(said)) break;
      }
      const [, url = ''] = /give the client (\S+) in place of/.exec(said) ?? [];
      return { url: new URL(url), ran };
    };

    const connect = async (url: URL): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(url));
      onTestFinished(() => client.close());
      return client;
    };

    test('a hook refuses a call, a cancelled call is cancelled at the server, and everything else passes', async () => {
      const { url, ran } = await reached(`printf '{"decision":"deny","reason":"not that one"}'`);
      const client = await connect(url);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'wait']);
      expect(await client.callTool({ name: 'read', arguments: { path: 'a' } })).toEqual({
        content: [{ type: 'text', text: 'Tool call blocked by hook: not that one' }],
        isError: true,
      });
      expect(ran).toEqual([]);
      const left = new AbortController();
      const waiting = client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: left.signal });
      await expect.poll(() => ran).toEqual(['waits']);
      left.abort(new Error('left'));
      await expect(waiting).rejects.toThrow('left');
      await expect.poll(() => ran).toEqual(['waits', 'left']);
    });

    test('a hook changes what the server is asked for; batches of calls and pages of others are refused', async () => {
      const { url, ran } = await reached(`printf '{"hookSpecificOutput":{"tool_input":{"path":"b"}}}'`);
      const client = await connect(url);
      const { content } = await client.callTool({ name: 'read', arguments: { path: 'a' } });
      expect(content).toMatchObject([{ text: expect.stringMatching(/^content of b/) }]);
      expect(ran).toEqual(['b']);
      const post = (body: unknown, headers: object = {}) =>
        fetch(url, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        });
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read', arguments: { path: 'c' } } };
      expect(await (await post([call])).text()).toContain('send each in a message of its own');
      expect((await post(call, { origin: 'https://example.com' })).status).toBe(403);
      expect(ran).toEqual(['b']);
    });
  });
});
