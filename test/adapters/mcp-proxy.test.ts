import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { hookedClient } from '../../src/adapters/mcp/index.ts';
import { createHooks, loadConfig } from '../../src/index.ts';
import { buildPackage } from '../examples/support.ts';
import { attacks, call, denies, hook, initialize, settled, silent, started } from './mcp-proxy-support.ts';

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

  test('R2009 settings that change count at once, and a file that cannot be read is named on stderr', async () => {
    const proxy = started(undefined);
    await proxy.say(initialize());
    expect(await proxy.say(call())).toMatchObject({ result: { content: [{ text: 'did it' }] } });
    proxy.configure(JSON.stringify(denies));
    const isDenied = async () => z.object({ result: z.looseObject({}) }).parse(await proxy.say(call())).result.isError;
    await expect.poll(isDenied, { timeout: 5_000 }).toBe(true);
    proxy.configure('{"hooks":');
    await expect.poll(proxy.stderr, { timeout: 5_000 }).toContain('a value is expected here');
    expect(await isDenied()).toBe(true);
    expect(await proxy.end()).toBe(0);
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

  test('R2084 the last answer of a server that ends without a line break is passed on', async () => {
    const proxy = started(silent);
    await proxy.say(initialize());
    expect(await proxy.say(call({}, { name: 'last' }))).toMatchObject({
      id: 7,
      result: { content: [{ text: 'did it' }] },
    });
  });

  test('R2023 a server that sends too long a line is ended, and calls that wait for it fail', async () => {
    const proxy = started(silent, [], { STUBBORN: '' });
    await proxy.say(initialize());
    const why = 'the server sent more than 67108864 bytes in one message';
    expect(await proxy.say(call({}, { name: 'huge' }))).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining(why) },
    });
    expect(await proxy.exited).toBe(1);
    expect(proxy.stderr()).toContain(why);
    expect(proxy.stderr()).not.toContain('this should not happen');
  });

  test('R2023 a server that ignores SIGTERM does not keep the proxy', async () => {
    const proxy = started(silent, [], { STUBBORN: '' });
    await proxy.say(initialize());
    const begin = performance.now();
    await proxy.stop();
    expect(performance.now() - begin).toBeLessThan(10_000);
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
