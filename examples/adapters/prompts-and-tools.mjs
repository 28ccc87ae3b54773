// A hook that asks a model, and one that calls a tool of an MCP server. Model and server are stubs, so that this runs anywhere.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { MockLanguageModelV3 } from 'ai/test';
import { createHooks } from 'hookwright';
import { fromLanguageModel } from 'hookwright/ai-sdk'; // or hookwright/langchain, hookwright/openai-agents
import * as z from 'zod';

const server = new McpServer({ name: 'policy', version: '1.0.0' });
server.registerTool('check_command', { inputSchema: { command: z.string() } }, ({ command }) => ({
  content: [
    { type: 'text', text: command.startsWith('rm') ? '{"decision":"deny","reason":"nothing is removed"}' : '{}' },
  ],
}));
const [here, there] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'agent', version: '1.0.0' });
await Promise.all([server.connect(there), client.connect(here)]);

const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const ok = !JSON.stringify(prompt).includes('kubectl');
    const text = JSON.stringify({ ok, reason: 'it touches production' });
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] };
  },
});
const prompt = 'Does this command touch production? $ARGUMENTS';
const input = { command: '${tool_input.command}' };

const hooks = await createHooks({
  hooks: {
    BeforeTool: [
      {
        hooks: [
          { type: 'prompt', name: 'production', prompt },
          { type: 'mcp', name: 'policy', server: 'policy', tool: 'check_command', input },
        ],
      },
    ],
  },
  deps: {
    askModel: fromLanguageModel(model), // or ({ prompt, system, schema, signal }) => text or JSON
    mcp: { policy: client }, // connected clients by server name; `Client` of @modelcontextprotocol/sdk fits
  },
});

for (const command of ['ls', 'rm -rf build', 'kubectl apply']) {
  const { verdict, reason } = await hooks.beforeTool({ tool: 'shell', input: { command } });
  console.log(`${command}: ${verdict}${reason === undefined ? '' : `, ${reason}`}`);
}
await client.close();
await server.close();
await hooks.close();
