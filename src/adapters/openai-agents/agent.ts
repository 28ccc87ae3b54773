// Wraps agents of the OpenAI Agents SDK with hooks: models, tools, MCP servers, computers and handoffs.
import {
  type Agent,
  type AgentOutputType,
  type Computer,
  type Handoff,
  handoff,
  type MCPServer,
  type ModelProvider,
  RunContext,
  Runner,
  type Tool,
  tool,
} from '@openai/agents';
import type { Hooks } from '../../facade/index.ts';
import { isRecord, isSameList, type Members } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import { type AdapterToolCall, toArgs } from '../core/begun-calls.ts';
import type { StreamMode } from '../core/model-call.ts';
import { createBlockedError, readRefusal } from '../core/stopped-calls.ts';
import { createProxy, expectHooks, reportUnhooked } from '../core/wrapping.ts';
import { type McpResult, McpTools } from '../mcp/mcp-tools.ts';
import { AgentCalls } from './agent-calls.ts';
import { createSchemaChecks, formatRefusal, parseArgs, parseInput, wrapFunctionTool } from './function-tools.ts';
import { type AnyAgent, type HookedAction, HookedActions, wrapPatchTool, wrapShell } from './hooked-actions.ts';
import { HookedModel } from './hooked-model.ts';

export interface HookedAgentOptions {
  /**
   * Streamed answers: `hold` holds them back until AfterModel hooks have seen the end, `live` passes them on, and a
   * later change is an error. Default `auto`: `hold` if there are AfterModel hooks.
   */
  readonly stream?: StreamMode | undefined;
  /** Provides models by name. Default: the provider of the SDK. */
  readonly modelProvider?: ModelProvider | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: as the SDK types the agents of a list of handoffs
type AnyHandoff = Handoff<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: a tool of any context
type AnyTool = Tool<any>;

const isAgent = (given: AnyAgent | AnyHandoff): given is AnyAgent => 'handoffs' in given;

/** A call that cannot be made becomes a call of this tool, which returns the reason. Models are not offered this tool. */
const REFUSED_CALL_TOOL = 'hookwright_refused_call';

const refusedCallTool = tool({
  name: REFUSED_CALL_TOOL,
  description: 'Tells why a call was not made.',
  strict: false,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  execute: (given) => (isRecord(given) ? String(given.reason) : ''),
});

/** The SDK's text for arguments that are no JSON. */
const INVALID_ARGUMENTS_TEXT = 'An error occurred while parsing tool arguments. Please try again with valid JSON.';

const toRefusedCall = <Item extends object>(item: Item, reason: string): Item => {
  const { name, arguments: args }: Members = { ...Object(item) };
  return Object.assign({}, item, {
    name: REFUSED_CALL_TOOL,
    arguments: JSON.stringify({ reason, name, arguments: args }),
  });
};

const restoreRefusedCalls = <Item extends object>(items: readonly Item[]): readonly Item[] => {
  const isRefused = (item: object): boolean => Reflect.get(item, 'name') === REFUSED_CALL_TOOL;
  if (!items.some(isRefused)) return items;
  const written = new Map<unknown, Members>();
  for (const item of items) {
    const { type, callId, arguments: args }: Members = { ...Object(item) };
    if (type === 'function_call' && isRefused(item) && typeof args === 'string') written.set(callId, parseArgs(args));
  }
  return items.map((item) => {
    const original = isRefused(item) ? written.get(Reflect.get(item, 'callId')) : undefined;
    if (original === undefined) return item;
    const { name, arguments: args } = original;
    return Object.assign({}, item, { name }, 'arguments' in item ? { arguments: args } : {});
  });
};

/** Wraps each agent once, because agents may hand over in a circle. */
class HookedAgents {
  readonly #hooks: Hooks;
  readonly #options: HookedAgentOptions;
  readonly #calls: AgentCalls;
  readonly #hookedByOriginal = new Map<AnyAgent, AnyAgent>();
  readonly #hookedTools = new WeakSet<object>([refusedCallTool]);
  readonly #agentByRun = new WeakMap<RunContext, AnyAgent>();
  readonly #pendingHandoffs = new Map<string, number>();

  constructor(hooks: Hooks, options: HookedAgentOptions) {
    this.#hooks = hooks;
    this.#options = options;
    this.#calls = new AgentCalls(hooks);
  }

  hook<Context, Output extends AgentOutputType>(agent: Agent<Context, Output>): Agent<Context, Output> {
    const { stream = 'auto', modelProvider } = this.#options;
    const provider = (): ModelProvider => modelProvider ?? new Runner().config.modelProvider;
    const actions: HookedAction[] = [];
    const self = (): AnyAgent => hooked;
    const tools = agent.tools.map((one): Tool<Context> => this.#hookTool(one, self, actions));
    const hooked: Agent<Context, Output> = agent.clone({
      model: new HookedModel(this.#hooks, {
        model: agent.model,
        provider,
        stream,
        decide: (items, signal) => this.#decideItems(hooked, items, signal),
        asModelWrote: restoreRefusedCalls,
        isHidden: (name) => name === REFUSED_CALL_TOOL,
      }),
      tools: [...tools, refusedCallTool],
      mcpServers: agent.mcpServers.map((server) => wrapServer(this.#hooks, server)),
    });
    this.#hookedByOriginal.set(agent, hooked);
    hooked.handoffs = agent.handoffs.map((given) => this.#hookHandoff(given));
    hooked.on('agent_tool_start', (context, started, { toolCall }) => {
      const call: Members = { ...toolCall };
      const action = actions.find((one) => one.tool === started);
      if (typeof call.callId === 'string') action?.started(context, call.callId, call);
    });
    hooked.on('agent_end', (context, response) => {
      // An answer cannot be rejected at this point.
      void this.#reportStop(context, typeof response === 'string' ? response : JSON.stringify(response));
    });
    return hooked;
  }

  #hookTool<Context>(one: Tool<Context>, agent: () => AnyAgent, actions: HookedAction[]): Tool<Context> {
    if (one.type === 'function') {
      const hooked = wrapFunctionTool(this.#calls, one);
      this.#hookedTools.add(hooked);
      return hooked;
    }
    const action = this.#hookAction(one, agent);
    if (action !== undefined) {
      actions.push(action);
      return action.tool;
    }
    reportUnhooked(this.#hooks, `hookedAgent: calls of "${one.name}" (${one.type})`, one.name);
    return one;
  }

  #hookAction(one: AnyTool, agent: () => AnyAgent): HookedAction | undefined {
    if (one.type === 'shell') return wrapShell(this.#calls, one, agent);
    if (one.type === 'apply_patch') return wrapPatchTool(this.#calls, one, agent);
    return one.type === 'computer' ? wrapComputerTool(this.#calls, one, agent) : undefined;
  }

  async #decideItems<Item extends object>(
    agent: AnyAgent,
    items: readonly Item[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Item[]> {
    const possible = this.#refuseImpossibleCalls(agent, items);
    const decided = await this.#calls.decideItems(possible, (item) => this.#describe(agent, item), signal);
    const handoffs = agent.handoffs.flatMap((one: AnyAgent | AnyHandoff) => (isAgent(one) ? [] : [one]));
    for (const [index, item] of decided.entries()) {
      const { type, name }: Members = { ...Object(item) };
      const target = type === 'function_call' ? handoffs.find(({ toolName }) => toolName === name) : undefined;
      if (target === undefined) continue;
      const reason = await this.#whyNotStarted(target.agentName, signal);
      if (reason !== undefined) return decided.with(index, toRefusedCall(item, formatRefusal(reason)));
      this.#pendingHandoffs.set(target.toolName, (this.#pendingHandoffs.get(target.toolName) ?? 0) + 1);
      break;
    }
    return decided;
  }

  #refuseImpossibleCalls<Item extends object>(agent: AnyAgent, items: readonly Item[]): readonly Item[] {
    const possible = items.map((item) => {
      const reason = this.#whyNotPossible(agent, item);
      return reason === undefined ? item : toRefusedCall(item, reason);
    });
    return isSameList(possible, items) ? items : possible;
  }

  #whyNotPossible(agent: AnyAgent, item: object): string | undefined {
    const { type, name, arguments: args }: Members = { ...item };
    if (type !== 'function_call' || typeof args !== 'string') return undefined;
    const found = agent.tools.find((one: AnyTool) => one.type === 'function' && one.name === name);
    if (found === undefined) return undefined;
    if (!this.#hookedTools.has(found) && this.#calls.wouldAsk(found.name)) {
      return formatRefusal(`${found.name} was added to the agent after hookedAgent, so its hooks cannot be asked`);
    }
    // `needsApproval` of a hooked tool cannot read invalid JSON, so the SDK would interrupt the run for an approval.
    return isRecord(parseInput(args)) ? undefined : INVALID_ARGUMENTS_TEXT;
  }

  #describe(agent: AnyAgent, item: object): AdapterToolCall | undefined {
    const { type, name, callId, arguments: args, action, operation }: Members = { ...item };
    const id = typeof callId === 'string' ? callId : undefined;
    const has = (kind: AnyTool['type']) =>
      agent.tools.find((one: AnyTool) => one.type === kind && (kind !== 'function' || one.name === name));
    if (type === 'function_call' && typeof args === 'string') {
      const found = has('function');
      if (found?.type !== 'function' || found.name === REFUSED_CALL_TOOL) return undefined;
      return { name: found.name, input: parseArgs(args), id, ...createSchemaChecks(found) };
    }
    const found = type === 'shell_call' ? has('shell') : type === 'apply_patch_call' ? has('apply_patch') : undefined;
    return found === undefined ? undefined : { name: found.name, input: toArgs(action ?? operation), id };
  }

  async #whyNotStarted(agentType: string, signal?: AbortSignal): Promise<string | undefined> {
    return readRefusal(await this.#hooks.subagentStart({ agentType, signal }));
  }

  #hookHandoff(given: AnyAgent | AnyHandoff): AnyHandoff {
    const original: AnyHandoff = isAgent(given) ? handoff(given) : given;
    const target = this.#hookOnce(original.agent);
    const { toolName } = original;
    return original.clone({
      agent: target,
      onInvokeHandoff: async (context, args) => {
        const next = this.#hookOnce(await original.onInvokeHandoff(context, args));
        const allowed = this.#pendingHandoffs.get(toolName) ?? 0;
        if (allowed > 0) this.#pendingHandoffs.set(toolName, allowed - 1);
        else {
          // A run may have its own model without hooks, so no hook may have decided about the handoff yet.
          const reason = await this.#whyNotStarted(next.name);
          if (reason !== undefined) throw createBlockedError('SubagentStart', `Handoff to "${next.name}"`, reason);
        }
        await this.#reportStop(context);
        this.#agentByRun.set(context, next);
        return next;
      },
    });
  }

  async #reportStop(context: RunContext, response?: string): Promise<void> {
    const agent = this.#agentByRun.get(context);
    if (agent === undefined) return;
    this.#agentByRun.delete(context);
    // The engine itself reports a failed event.
    await this.#hooks.subagentStop({ agentType: agent.name, response }).catch(() => undefined);
  }

  #hookOnce(agent: AnyAgent): AnyAgent {
    return this.#hookedByOriginal.get(agent) ?? this.hook(agent);
  }
}

/**
 * Returns a copy of the agent with hooks around its model, its tools and the agents that it hands over to. Tools that
 * run at a provider are listed in `hooks.problems`.
 */
export const hookedAgent = <Context, Output extends AgentOutputType>(
  hooks: Hooks,
  agent: Agent<Context, Output>,
  options: HookedAgentOptions = {},
): Agent<Context, Output> => {
  expectHooks('hookedAgent', hooks);
  return new HookedAgents(hooks, options).hook(agent);
};

const toServerName = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_');

const wrapServer = (hooks: Hooks, server: MCPServer): MCPServer => {
  const tools = new McpTools(hooks, toServerName(server.name));
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
  return createProxy(server, hooked);
};

type ComputerTool = Extract<Tool, { type: 'computer' }>;
type ComputerAction = Parameters<ComputerTool['needsApproval']>[1];

const computerMethods: Readonly<
  Record<string, { readonly type: string; readonly args: (action: Members) => unknown[] }>
> = {
  click: { type: 'click', args: ({ x, y, button }) => [x, y, button] },
  doubleClick: { type: 'double_click', args: ({ x, y }) => [x, y] },
  drag: {
    type: 'drag',
    args: ({ path }) => [
      Array.isArray(path) ? path.map((point) => (isRecord(point) ? [point.x, point.y] : point)) : [],
    ],
  },
  keypress: { type: 'keypress', args: ({ keys }) => [keys] },
  move: { type: 'move', args: ({ x, y }) => [x, y] },
  screenshot: { type: 'screenshot', args: () => [] },
  scroll: { type: 'scroll', args: ({ x, y, scroll_x, scroll_y }) => [x, y, scroll_x, scroll_y] },
  type: { type: 'type', args: ({ text }) => [text] },
  wait: { type: 'wait', args: () => [] },
};

/** For each run, the actions that its computer call still has to perform; the SDK's own screenshots are not listed. */
class PendingActions {
  readonly #actions = new WeakMap<RunContext, object[]>();

  set(context: RunContext, actions: readonly object[]): void {
    this.#actions.set(context, [...actions]);
  }

  next(context: unknown, type: string): object | undefined {
    const waiting = context instanceof RunContext ? this.#actions.get(context) : undefined;
    const [first] = waiting ?? [];
    if (first === undefined || Reflect.get(first, 'type') !== type) return undefined;
    waiting?.shift();
    return first;
  }
}

const wrapComputer = <C extends object>(computer: C, actions: HookedActions, pending: PendingActions): C =>
  new Proxy(computer, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method = typeof key === 'string' ? computerMethods[key] : undefined;
      if (method === undefined) return value.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        const context = args.at(-1);
        const action = pending.next(context, method.type);
        if (action === undefined) return Reflect.apply(value, target, args);
        return actions.run(action, async (changed) => Reflect.apply(value, target, [...method.args(changed), context]));
      };
    },
  });

const readActions = ({ action, actions }: Members): object[] => {
  const all: readonly unknown[] = Array.isArray(actions) && actions.length > 0 ? actions : [action];
  return all.filter(isRecord);
};

const isComputer = (value: object): value is Computer => typeof Reflect.get(value, 'screenshot') === 'function';

const wrapComputerTool = (calls: AgentCalls, tool: ComputerTool, agent: () => AnyAgent): HookedAction => {
  const { computer, name } = tool;
  const actions = new HookedActions(calls, name, agent);
  const pending = new PendingActions();
  const hook = <C extends object>(made: C): C => wrapComputer(made, actions, pending);
  const needsApproval = actions.approval<ComputerAction>(tool, (action, callId) => ({
    type: 'computer_call',
    callId,
    status: 'completed',
    action,
  }));
  const hooked: ComputerTool = Object.assign(copyWithPrototype(tool), {
    needsApproval,
    computer: wrapComputerSource(computer, hook),
  });
  return {
    tool: hooked,
    started: (context, callId, call) => {
      const all = readActions(call);
      pending.set(context, all);
      for (const action of all) actions.started(context, callId, action);
    },
  };
};

const wrapComputerSource = (
  source: ComputerTool['computer'],
  hook: <C extends object>(made: C) => C,
): ComputerTool['computer'] => {
  if (typeof source === 'function') return async (args) => hook(await source(args));
  if (isComputer(source)) return hook(source);
  return { ...source, create: async (args) => hook(await source.create(args)) };
};
