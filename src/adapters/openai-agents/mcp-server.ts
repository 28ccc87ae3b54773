import type { MCPServer } from '@openai/agents';
import type { Hooks } from '../../facade/index.ts';
import { standIn } from '../core/stand-in.ts';
import { type McpResult, McpTools } from '../mcp/mcp-tools.ts';

/** Letters, digits and the like: other characters of a server's name are no part of a tool's name. */
const plainName = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_');

/** An MCP server of an agent with hooks around its tools: they are `mcp__<server>__<tool>` to hooks. */
export const hookedServer = (hooks: Hooks, server: MCPServer): MCPServer => {
  const tools = new McpTools(hooks, plainName(server.name));
  type Call = MCPServer['callTool'];
  const callWith =
    (run: (...args: Parameters<Call>) => Promise<McpResult>) =>
    (...[name, args, meta, options]: Parameters<Call>): Promise<McpResult> =>
      tools.call({
        name,
        input: args ?? {},
        signal: options?.signal,
        run: (effective) =>
          run(name, args === null && Object.keys(effective).length === 0 ? null : effective, meta, options),
      });
  const asResult = async (...args: Parameters<Call>): Promise<McpResult> => ({
    content: await server.callTool(...args),
  });
  const whole = server.callToolResult?.bind(server);
  const callResult = callWith(whole ?? asResult);
  const hooked = new Map<PropertyKey, unknown>([
    ['callTool', async (...args: Parameters<Call>) => (await callResult(...args)).content],
    ...(whole === undefined ? [] : ([['callToolResult', callResult]] as const)),
  ]);
  return standIn(server, hooked);
};
