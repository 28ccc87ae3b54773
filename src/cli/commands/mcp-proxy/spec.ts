import { defineSpec } from '../../arguments/spec.ts';

export const mcpProxySpec = defineSpec({
  name: 'mcp-proxy',
  summary: 'put hooks between any MCP client and any MCP server over stdio, without touching either',
  description: [
    'Write it into the settings of the client in front of the command of the server: hookwright mcp-proxy -- <server command>. Calls of tools are asked of the hooks configured here, as mcp__<server>__<tool>; all other messages pass as they are. Where a hook wants a person to be asked, the call is refused: nobody is there to ask.',
  ],
  arguments: [{ name: 'command', summary: 'the command of the server, behind --', required: true, rest: true }],
  flags: {
    server: {
      kind: 'text',
      value: 'name',
      summary: 'how hooks know the server; by default as it calls itself',
    },
  },
  examples: [
    { command: 'hookwright mcp-proxy -- npx my-mcp-server', does: 'the server, with hooks in front of its tools' },
  ],
  exit: { ok: 'the client ended', findings: 'the server could not be started, or ended by itself with an error' },
});
