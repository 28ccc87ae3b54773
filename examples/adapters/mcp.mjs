// Hooks around the tools of an MCP server: one line around the client.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createHooks } from 'hookwright';
import { hookedClient } from 'hookwright/mcp';
import * as z from 'zod';

const server = new McpServer({ name: 'files', version: '1.0.0' });
server.registerTool('read', { inputSchema: { path: z.string() } }, ({ path }) => ({
  content: [{ type: 'text', text: `content of ${path}` }],
}));
const [here, there] = InMemoryTransport.createLinkedPair();
const bare = new Client({ name: 'agent', version: '1.0.0' });
await Promise.all([server.connect(there), bare.connect(here)]);

const hooks = await createHooks();
hooks.on('BeforeTool', ({ tool_input }) =>
  tool_input.path === '.env' ? { decision: 'deny', reason: '.env holds secrets' } : undefined,
);
const client = hookedClient(hooks, bare, { server: 'files' });

for (const path of ['README.md', '.env']) {
  const { content, isError } = await client.callTool({ name: 'read', arguments: { path } });
  console.log(isError === true ? 'failed:' : 'ran:', content[0].text);
}

await client.close();
await server.close();
await hooks.close();
