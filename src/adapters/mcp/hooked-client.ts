import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { standIn } from '../core/stand-in.ts';
import { McpTools } from './mcp-tools.ts';

export interface HookedClientOptions {
  /** How hooks know the server: its tools are `mcp__<server>__<tool>` to them. */
  readonly server: string;
}

const expectServer = (options: unknown): void => {
  const server = isRecord(options) ? options.server : undefined;
  if (typeof server === 'string' && /^[\w.-]+$/.test(server)) return;
  throw new HookwrightError(
    'invalid_argument',
    `hookedClient needs {server}, the name by which hooks know it: letters, digits, "_", "-" and "."; got ${describeValue(server)}`,
  );
};

/**
 * The same client, with hooks around `callTool`: they see, change and refuse calls, and what comes of them. A refused call is a
 * failed one (`isError`), as servers refuse; everything else of the client is as it was.
 */
export const hookedClient = <C extends Client>(hooks: Hooks, client: C, options: HookedClientOptions): C => {
  expectHooks('hookedClient', hooks);
  expectServer(options);
  const tools = new McpTools(hooks, options.server);
  const callTool: Client['callTool'] = (params, schema, requestOptions) =>
    tools.call({
      name: params.name,
      input: { ...params.arguments },
      signal: requestOptions?.signal,
      run: (args) => client.callTool({ ...params, arguments: args }, schema, requestOptions),
    });
  return standIn(client, new Map([['callTool', callTool]]));
};
