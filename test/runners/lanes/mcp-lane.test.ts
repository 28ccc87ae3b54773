import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type HookConfig, type McpClients } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const resolved = (name: string): string => pathToFileURL(createRequire(import.meta.url).resolve(name)).href;

/** A server as people write one: a process of its own that speaks MCP on stdin and stdout. */
const server = `
import { McpServer } from '${resolved('@modelcontextprotocol/sdk/server/mcp.js')}';
import { StdioServerTransport } from '${resolved('@modelcontextprotocol/sdk/server/stdio.js')}';
import * as z from '${resolved('zod')}';
const server = new McpServer({ name: 'policy', version: '1.0.0' });
const loose = z.looseObject({});
const tool = (name, run) => server.registerTool(name, { inputSchema: loose }, run);
const text = (words) => ({ content: [{ type: 'text', text: words }] });
tool('echo', (input) => ({ ...text('seen'), structuredContent: { decision: 'deny', reason: JSON.stringify(input) } }));
tool('prints', () => text('{"decision": "deny", "reason": "printed"}'));
tool('prose', () => text('just a note'));
tool('fails', () => ({ ...text('no rights'), isError: true }));
tool('dies', () => process.exit(1));
tool('hangs', () => new Promise(() => {}));
await server.connect(new StdioServerTransport());
`;

let script = '';
beforeAll(() => {
  script = join(temporaryFolder('mcp'), 'server.mjs');
  writeFileSync(script, server);
});

const connected = async (): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
};

const called = async (mcp: McpClients | undefined, more: Partial<HookConfig>) => {
  const hook: HookConfig = { type: 'mcp', name: 'policy', server: 'policy', tool: 'echo', ...more };
  const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [hook] }] }, warnings: false, deps: { mcp } });
  onTestFinished(() => engine.close());
  const input = { command: 'ls -a', paths: ['a', 'b'] };
  return { result: await engine.beforeTool({ tool: 'run_shell', input }), problems: engine.problems };
};

describe('R1453 an mcp hook calls a tool of the host', () => {
  test('with fields of the event in its input, and its structured result is the answer', async () => {
    const input = {
      command: '${tool_input.command}',
      paths: '${tool_input.paths}',
      text: 'of ${tool_name}: ${tool_input.paths}',
      fixed: 1,
    };
    const { result, problems } = await called({ policy: await connected() }, { input });
    expect(result.verdict).toBe('deny');
    expect(JSON.parse(result.reason ?? '')).toEqual({
      command: 'ls -a',
      paths: ['a', 'b'],
      text: 'of run_shell: ["a","b"]',
      fixed: 1,
    });
    expect(problems).toEqual([]);
  });

  test('a text is read as that of a command', async () => {
    const mcp = { policy: await connected() };
    expect((await called(mcp, { tool: 'prints' })).result).toMatchObject({ verdict: 'deny', reason: 'printed' });
    const { result } = await called(mcp, { tool: 'prose' });
    expect([result.verdict, result.messages, result.faults]).toEqual(['none', ['just a note'], []]);
  });

  test.each<[string, Partial<HookConfig>, string, string]>([
    ['a tool that fails', { tool: 'fails' }, 'threw', 'no rights'],
    ['a server that dies', { tool: 'dies' }, 'threw', 'Connection closed'],
    ['a tool that is not there', { tool: 'absent' }, 'threw', 'absent'],
    ['a tool that never answers', { tool: 'hangs', timeout: 1_000 }, 'timeout', '1000 ms'],
    ['a field that the event lacks', { input: { a: '${tool_input.absent}' } }, 'invalid-config', 'tool_input.absent'],
    [
      'a member that every object inherits',
      { input: { a: '${constructor.name}' } },
      'invalid-config',
      'constructor.name',
    ],
  ])('%s is a fault, and obeys onFault', async (_title, more, code, words) => {
    const { result } = await called({ policy: await connected() }, { ...more, onFault: 'deny' });
    expect(result.verdict).toBe('deny');
    expect(result.faults).toMatchObject([{ code, message: expect.stringContaining(words) }]);
  });

  test('a server that the host does not bring is a problem at load and a fault', async () => {
    const { result, problems } = await called({ other: await connected() }, { onFault: 'deny' });
    const words = 'it calls the MCP server "policy", and the host brings other (deps.mcp)';
    expect(problems).toMatchObject([{ code: 'not-supported', message: expect.stringContaining(words) }]);
    expect(result).toMatchObject({ verdict: 'deny', faults: [{ code: 'not-supported' }] });
  });
});
