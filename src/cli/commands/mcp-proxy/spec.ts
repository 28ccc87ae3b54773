import { defineSpec } from '../../arguments/spec.ts';

export const mcpProxySpec = defineSpec({
  name: 'mcp-proxy',
  summary: 'put hooks between any MCP client and any MCP server, without touching either',
  description: [
    'Over stdio: write it into the settings of the client in front of the command of the server, hookwright mcp-proxy -- <server command>. Over HTTP: hookwright mcp-proxy --url <address> listens on this machine only; give the client the address it prints.',
    'The hooks configured here are asked about each tool call, as mcp__<server>__<tool>; all other messages pass unchanged. Where a hook wants a person to be asked, the call is refused, because there is nobody to ask.',
  ],
  arguments: [{ name: 'command', summary: 'the command of the server, behind --', rest: true }],
  flags: {
    url: { kind: 'text', value: 'address', summary: 'the server, where it is reached over HTTP' },
    port: { kind: 'number', value: 'port', summary: 'with --url: where to listen; by default at a port that is free' },
    server: {
      kind: 'text',
      value: 'name',
      summary: 'how hooks know the server; by default as it calls itself',
    },
  },
  examples: [
    { command: 'hookwright mcp-proxy -- npx my-mcp-server', does: 'the server, with hooks in front of its tools' },
    {
      command: 'hookwright mcp-proxy --url https://example.com/mcp',
      does: 'the same for a server that runs elsewhere',
    },
  ],
  exit: { ok: 'the client ended, or you ended it', findings: 'the server ended by itself with an error' },
});
