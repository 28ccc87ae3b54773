/** Hooks around the tools of MCP servers, in the client. */
export { type HookedClientOptions, hookedClient } from './mcp-tools.ts';
