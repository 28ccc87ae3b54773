// Wraps the tools of an MCP client with hooks.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, type Members, omitUndefined, textOf } from '../../kit/index.ts';
import { readResultText, type ToolResult } from '../../triggers/index.ts';
import { awaitResultOrFailure, ToolFailure } from '../core/stopped-calls.ts';
import { createProxy, expectHooks } from '../core/wrapping.ts';

export type McpResult = Members;

export interface McpCall<Result extends McpResult> {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly run: (input: Record<string, unknown>) => Promise<Result>;
}

interface RefusedResult {
  [key: string]: unknown;
  content: { readonly type: 'text'; readonly text: string }[];
  isError: true;
}

const readParts = ({ content }: McpResult): readonly unknown[] => (Array.isArray(content) ? content : []);

const readPartText = (part: unknown): string | undefined => {
  if (!isRecord(part)) return undefined;
  if (part.type === 'text') return textOf(part.text);
  return isRecord(part.resource) ? textOf(part.resource.text) : undefined;
};

const readMcpText = (result: McpResult): string =>
  readParts(result)
    .flatMap((part) => readPartText(part) ?? [])
    .join('\n');

const toToolResult = (result: McpResult): ToolResult =>
  omitUndefined({ llmContent: readMcpText(result), structuredContent: result.structuredContent });

const createRefusal = (text: string): RefusedResult => ({ content: [{ type: 'text', text }], isError: true });

const isTextPart = (part: unknown): boolean => isRecord(part) && part.type === 'text';

const appendText = (parts: readonly unknown[], added: string): readonly unknown[] => {
  const last = parts.findLastIndex(isTextPart);
  const part = parts[last];
  if (!isRecord(part)) return [...parts, { type: 'text', text: added.trimStart() }];
  return parts.with(last, { ...part, text: `${part.text}${added}` });
};

/** Structured content that repeats a changed text is removed. */
const applyOutput = <Result extends McpResult>(result: Result, output: ToolResult): Result => {
  const [seen, parts, text] = [readMcpText(result), readParts(result), readResultText(output)];
  const isSameStructure = output.structuredContent === result.structuredContent;
  if (text === undefined || (text === seen && isSameStructure)) return result;
  if (text.startsWith(seen)) {
    const content = text === seen ? parts : appendText(parts, text.slice(seen.length));
    return { ...result, content, ...(isSameStructure ? {} : { structuredContent: output.structuredContent }) };
  }
  const others = parts.filter((part) => readPartText(part) === undefined);
  const structuredContent = isSameStructure ? undefined : output.structuredContent;
  return { ...result, content: [{ type: 'text', text }, ...others], structuredContent };
};

const addStopReason = <Result extends McpResult>(
  result: Result,
  stopped: { readonly reason: string } | undefined,
): Result =>
  stopped === undefined
    ? result
    : { ...result, _meta: { ...(isRecord(result._meta) ? result._meta : {}), 'hookwright/stopped': stopped.reason } };

export class McpTools {
  readonly #hooks: Hooks;
  readonly #server: string;

  constructor(hooks: Hooks, server: string) {
    this.#hooks = hooks;
    this.#server = server;
  }

  async call<Result extends McpResult>({
    name,
    input,
    id,
    signal,
    run,
  }: McpCall<Result>): Promise<Result | RefusedResult> {
    let answer: Result | undefined;
    const mcpContext = { server_name: this.#server, tool_name: name };
    const called = await awaitResultOrFailure(
      this.#hooks.callTool(
        `mcp__${this.#server}__${name}`,
        input,
        async (args) => {
          answer = await run(args);
          if (answer.isError === true) throw new ToolFailure(readMcpText(answer), answer);
          return toToolResult(answer);
        },
        { id, signal, mcpContext },
      ),
    );
    if (called instanceof ToolFailure) return answer ?? createRefusal(called.message);
    const { blocked, withheld, stopped, output } = called;
    if (blocked !== undefined || answer === undefined) {
      return addStopReason(
        createRefusal(`Tool call blocked by hook: ${blocked?.reason ?? 'no reason given'}`),
        stopped,
      );
    }
    if (withheld !== undefined) return addStopReason(createRefusal(withheld.reason), stopped);
    return addStopReason(isRecord(output) ? applyOutput(answer, output) : answer, stopped);
  }
}

export interface HookedClientOptions {
  /** The name by which hooks know this MCP server: its tools are `mcp__<server>__<tool>`. */
  readonly server: string;
}

const expectServerName = (options: unknown): void => {
  const server = isRecord(options) ? options.server : undefined;
  if (typeof server === 'string' && /^[\w.-]+$/.test(server)) return;
  throw new HookwrightError(
    'invalid_argument',
    `hookedClient needs {server}, the name by which hooks know it: letters, digits, "_", "-" and "."; got ${describeValue(server)}`,
  );
};

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly task?: unknown;
}

const isToolCall = (message: unknown): message is Members => isRecord(message) && message.method === 'tools/call';

const refuseTask = (): never => {
  const why = 'hookedClient does not pass calls as tasks or streams on: their results would reach no hook';
  throw new HookwrightError('not_supported', why);
};

/** Returns the client with hooks around tool calls. A denied call returns a result with `isError`. */
export const hookedClient = <C extends Client>(hooks: Hooks, client: C, options: HookedClientOptions): C => {
  expectHooks('hookedClient', hooks);
  expectServerName(options);
  const tools = new McpTools(hooks, options.server);
  const call = async <Result extends McpResult>(
    { name, arguments: input, task: taskOfParams }: Members,
    { signal, task = taskOfParams }: CallOptions = {},
    run: McpCall<Result>['run'],
  ) => {
    if (task !== undefined) return refuseTask();
    return tools.call({ name: String(name), input: isRecord(input) ? { ...input } : {}, signal, run });
  };
  const callTool: Client['callTool'] = (params, schema, requestOptions) =>
    call(params, requestOptions, (args) => client.callTool({ ...params, arguments: args }, schema, requestOptions));
  const request = async (message: unknown, schema: unknown, requestOptions?: CallOptions): Promise<unknown> => {
    const send = (given: unknown): Promise<McpResult> =>
      Reflect.apply(client.request, client, [given, schema, requestOptions]);
    if (!isToolCall(message) || !isRecord(message.params)) return send(message);
    const { params } = message;
    return call(params, requestOptions, (args) => send({ ...message, params: { ...params, arguments: args } }));
  };
  const streams = new Map<PropertyKey, unknown>([
    ['callToolStream', refuseTask],
    [
      'requestStream',
      (...given: unknown[]): unknown =>
        isToolCall(given[0]) ? refuseTask() : Reflect.apply(Reflect.get(client, 'requestStream'), client, given),
    ],
  ]);
  const hooked = new Map<PropertyKey, unknown>([...streams, ['callTool', callTool], ['request', request]]);
  // SDKs before 1.24 have no tasks.
  const experimental: unknown = client.experimental;
  if (isRecord(experimental) && isRecord(experimental.tasks)) {
    hooked.set('experimental', { ...experimental, tasks: createProxy(experimental.tasks, streams) });
  }
  return createProxy(client, hooked);
};
