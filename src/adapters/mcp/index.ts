/** Hooks around the tools of MCP servers, on the side of the client. */
export { type HookedClientOptions, hookedClient } from './mcp-tools.ts';
