/** The command line of `mcp-proxy`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';

export const mcpProxySpec = defineSpec({
  name: 'mcp-proxy',
  summary: 'put hooks between any MCP client and any MCP server, without changing either',
  description: [
    'Over stdio: in the settings of the client, put it in front of the server’s command: hookwright mcp-proxy -- <server command>. Over HTTP: hookwright mcp-proxy --url <address> listens on this machine only; give the client the address that it prints. The token in it is new with each start, unless HOOKWRIGHT_PROXY_TOKEN sets it.',
    'The hooks configured here run for each tool call, as mcp__<server>__<tool>; other messages pass if they are JSON-RPC in a known form. If a hook asks for confirmation, the call is refused, because no person can answer here. Changed settings are read at once.',
  ],
  arguments: [{ name: 'command', summary: 'the command of the server, after --', rest: true }],
  flags: {
    url: { kind: 'text', value: 'address', summary: 'the address of a server over HTTP' },
    port: { kind: 'number', value: 'port', summary: 'with --url: the port to listen on; default: a free one' },
    server: {
      kind: 'text',
      value: 'name',
      summary: 'the server’s name in hooks; default: the first name it reports',
    },
  },
  examples: {
    'hookwright mcp-proxy -- npx my-mcp-server': 'the server, with hooks in front of its tools',
    'hookwright mcp-proxy --url https://example.com/mcp': 'the same for a server that runs elsewhere',
  },
  exit: { ok: 'the client ended, or you ended it', findings: 'the server ended with an error' },
});
