import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { hookedClient } from '../../src/adapters/mcp/index.ts';
import { createHooks } from '../../src/index.ts';
import { type HostDriver, hostCoverage } from '../../src/testing/index.ts';

type Run = (input: Record<string, unknown>) => Promise<{ llmContent?: unknown }>;

test('a hooked client of MCP passes for calls of tools, which is all of an agent that it sees', async () => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  const running = new Map<string, Run>();
  const server = new Server({ name: 'files', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const run = running.get(params.name);
    if (run === undefined) throw new Error(`no tool ${params.name}`);
    const { llmContent } = await run({ ...params.arguments });
    return { content: [{ type: 'text', text: String(llmContent) }] };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const bare = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(there), bare.connect(here)]);
  onTestFinished(() => bare.close());
  const client = hookedClient(hooks, bare, { server: 'coverage' });
  // Tools are mcp__<server>__<tool> to hooks.
  const known = (name: string): string => name.replace(/^mcp__coverage__/, '');
  const driver: HostDriver = {
    hooks,
    callTool: (name, input, { run, signal }) => {
      running.set(known(name), run);
      return client.callTool({ name: known(name), arguments: input }, undefined, { signal });
    },
  };
  const tools = [
    { name: 'mcp__coverage__read', input: { path: 'a' }, change: { path: 'b' } },
    { name: 'mcp__coverage__write', input: { path: 'a' }, change: { path: 'b' } },
  ] as const;
  const report = await hostCoverage(driver, { tools });
  expect(report.paths.flatMap(({ problems }) => problems)).toEqual([]);
  expect(report.paths.map(({ path }) => path)).toEqual([
    'plain tool call',
    'changed tool input',
    'changed tool result',
    'parallel tool calls',
    'parallel tool calls, one blocked',
    'tool call that fails',
    'tool call that throws',
    'aborted tool call',
    'tool call aborted before it runs',
    'blocked tool call',
    'tool call after a blocked one',
    'stopped tool call',
  ]);
});
