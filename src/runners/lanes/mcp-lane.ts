/** Calls a tool of one of the host's MCP servers; its result is the answer. */
import { describeThrown, isRecord } from '../../kit/index.ts';
import { type HookConfig, type McpClients, notice, originOf } from '../../protocol/index.ts';
import type { RunnerLimits } from '../limits.ts';
import type { EngineLane } from './event-run.ts';
import { hostLane, printed } from './host-lane.ts';

export const mcpLane = (clients: McpClients = {}, { stdoutBytes }: RunnerLimits): EngineLane => {
  const clientOf = ({ server = '' }: HookConfig) => (Object.hasOwn(clients, server) ? clients[server] : undefined);
  return hostLane({
    inspect: (hook) =>
      clientOf(hook) === undefined ? [notice('not-supported', noServer(hook, clients), { fix: SERVER_FIX })] : [],
    run: async (call) => {
      const { hook, signal, timeoutMs } = call;
      const { server = '', tool: name = '', input = {} } = hook;
      const client = clientOf(hook);
      if (client === undefined) return call.faulted('not-supported', noServer(hook, clients));
      const filled = fill(input, call.input);
      if ('missing' in filled)
        return call.faulted('invalid-config', `its input names ${filled.missing}, which the event does not have`);
      const failed = (why: string, cause?: unknown) =>
        call.faulted('threw', `the tool ${name} of the MCP server ${server} failed: ${why}`, { cause });
      let result: unknown;
      try {
        const given = isRecord(filled.value) ? filled.value : {};
        // The end is the engine's business: the client gives up a little later.
        const options = { signal, timeout: timeoutMs + 1_000 };
        result = await client.callTool({ name, arguments: given }, undefined, options);
      } catch (error) {
        if (signal.aborted) throw error;
        return failed(describeThrown(error), error);
      }
      const { text, structured, isError } = readResult(result);
      if (isError) return failed(text);
      if (Buffer.byteLength(text) > stdoutBytes)
        return call.faulted(
          'output-too-large',
          `the MCP server ${server} answered with more than ${stdoutBytes} bytes`,
        );
      const isForAgent = originOf(hook)?.dialect !== undefined;
      if (isForAgent) return call.answered(undefined, { stdout: text, stderr: '', exitCode: 0 });
      return structured === undefined ? printed(call, text) : call.answered(structured, { stdout: text });
    },
  });
};

const SERVER_FIX = 'give createHooks a connected client of it in deps.mcp';

const noServer = ({ server = '' }: HookConfig, clients: McpClients): string => {
  const names = Object.keys(clients);
  const there = names.length === 0 ? 'the host brings none' : `the host brings ${names.join(', ')}`;
  return `it calls the MCP server "${server}", and ${there} (deps.mcp)`;
};

const PLACEHOLDER = /\$\{([^{}]+)\}/g;

type Filled = { readonly value: unknown } | { readonly missing: string };

const fieldAt = (event: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      event,
    );

/** The template with the fields of the event; a text that is one placeholder becomes the field itself. */
const fill = (template: unknown, event: object): Filled => {
  let missing: string | undefined;
  const fieldOf = (path: string): unknown => {
    const found = fieldAt(event, path);
    if (found === undefined) missing ??= path;
    return found;
  };
  const textOf = (found: unknown): string => (typeof found === 'string' ? found : (JSON.stringify(found) ?? ''));
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filled(member)]));
    if (typeof value !== 'string') return value;
    const [whole, path] = /^\$\{([^{}]+)\}$/.exec(value) ?? [];
    if (whole !== undefined && path !== undefined) return fieldOf(path);
    return value.replace(PLACEHOLDER, (_placeholder, inner: string) => textOf(fieldOf(inner)));
  };
  const value = filled(template);
  return missing === undefined ? { value } : { missing };
};

const readResult = (result: unknown) => {
  const { content, structuredContent: structured, isError } = isRecord(result) ? result : {};
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return { text: texts.join('\n'), structured, isError: isError === true };
};
