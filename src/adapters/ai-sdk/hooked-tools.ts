// Wraps the tools of the Vercel AI SDK with hooks.
import { HookwrightError } from '../../errors.ts';
import { type CalledTool, confirmOf, type Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, type Members } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import { type AdapterToolCall, BegunCall, type RunTool, toArgs, toInput } from '../core/begun-calls.ts';
import { mustHoldBack, type StreamMode } from '../core/model-call.ts';
import { createBlockedError, forgetStoppedCall, formatWithheld, rememberStoppedCall } from '../core/stopped-calls.ts';
import { expectHooks, reportUnhooked } from '../core/wrapping.ts';
import { createInputCheck, createOutputCheck, getSharedCalls, type SharedCalls } from './shared-calls.ts';

export interface HookedToolsOptions {
  /**
   * Preliminary outputs of a tool: `hold` holds them back until AfterTool hooks have seen the last one, `live` passes
   * them on. Default `auto`: `hold` if the tool has AfterTool hooks.
   */
  readonly stream?: StreamMode | undefined;
}

interface SdkCallContext {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal: AbortSignal | undefined;
}

const readCallContext = (options: unknown): SdkCallContext => {
  const { toolCallId, messages, abortSignal }: Members = isRecord(options) ? options : {};
  return {
    toolCallId: typeof toolCallId === 'string' ? toolCallId : '',
    messages: Array.isArray(messages) ? messages : [],
    abortSignal: abortSignal instanceof AbortSignal ? abortSignal : undefined,
  };
};

const collectParts = (messages: readonly unknown[]): Members[] =>
  messages.flatMap((message) =>
    isRecord(message) && Array.isArray(message.content) ? message.content.filter(isRecord) : [],
  );

const findApproval = ({ messages, toolCallId }: SdkCallContext): boolean | undefined => {
  const last = messages.at(-1);
  if (!isRecord(last) || last.role !== 'tool') return undefined;
  const parts = collectParts(messages);
  const request = parts.find((part) => part.type === 'tool-approval-request' && part.toolCallId === toolCallId);
  if (request === undefined) return undefined;
  const response = parts.find(
    (part) => part.type === 'tool-approval-response' && part.approvalId === request.approvalId,
  );
  return typeof response?.approved === 'boolean' ? response.approved : undefined;
};

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

type EmitOutput = (output: unknown) => void;

const awaitLastOutput = async (returned: unknown, emit: EmitOutput): Promise<unknown> => {
  const given = await returned;
  if (!isAsyncIterable(given)) return given;
  let last: unknown;
  for await (const output of given) {
    last = output;
    emit(output);
  }
  return last;
};

const isAsyncGenerator = (run: unknown): boolean =>
  Object.prototype.toString.call(run) === '[object AsyncGeneratorFunction]';

async function* yieldEmitted(work: (emit: EmitOutput) => Promise<unknown>): AsyncGenerator<unknown> {
  const waiting: unknown[] = [];
  let wake = (): void => undefined;
  let isDone = false;
  let last: unknown;
  const result = work((output) => {
    waiting.push(output);
    wake();
  }).finally(() => {
    isDone = true;
    wake();
  });
  result.catch(() => undefined);
  for (;;) {
    for (const output of waiting.splice(0)) {
      last = output;
      yield output;
    }
    if (isDone && waiting.length === 0) break;
    if (!isDone) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const final = await result;
  if (final !== last) yield final;
}

type AnyFunction = (...values: unknown[]) => unknown;

interface ToolInvocation {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly input: unknown;
}

const bindMethod = (tool: object, name: string): AnyFunction | undefined => {
  const method: unknown = Reflect.get(tool, name);
  return typeof method === 'function' ? (...values) => Reflect.apply(method, tool, values) : undefined;
};

const isProviderTool = (tool: object): boolean => /^provider/.test(String(Reflect.get(tool, 'type')));

class HookedTools {
  readonly #hooks: Hooks;
  readonly #tools: Members;
  readonly #shared: SharedCalls;
  readonly #stream: StreamMode;

  constructor(hooks: Hooks, tools: Members, { stream = 'auto' }: HookedToolsOptions) {
    this.#hooks = hooks;
    this.#tools = tools;
    this.#shared = getSharedCalls(hooks);
    this.#stream = stream;
  }

  wrap(name: string, tool: object): object {
    const execute = bindMethod(tool, 'execute');
    const own: unknown = Reflect.get(tool, 'needsApproval');
    const asksItself = own !== undefined && own !== false;
    const inputSchema: unknown = Reflect.get(tool, 'inputSchema');
    this.#shared.register(name, {
      inputSchema,
      outputSchema: createOutputCheck(tool),
      runsHere: execute !== undefined,
      asksItself,
    });
    const needsApproval = this.#needsApproval(name, tool, execute !== undefined);
    if (execute === undefined) {
      if (isProviderTool(tool) && Reflect.get(tool, 'isProviderExecuted') !== false) this.#report(name, tool);
      return Object.assign(copyWithPrototype(tool), { needsApproval });
    }
    const call = (input: unknown, options: unknown, emit?: EmitOutput): Promise<unknown> =>
      this.#execute({ name, inputSchema, input }, execute, options, emit);
    const streamed = (input: unknown, options: unknown): AsyncIterable<unknown> =>
      yieldEmitted((emit) => {
        const isHeld = mustHoldBack(this.#hooks, this.#stream, 'AfterTool', { toolName: name });
        return call(input, options, isHeld ? undefined : emit);
      });
    return Object.assign(copyWithPrototype(tool), {
      needsApproval,
      execute: isAsyncGenerator(Reflect.get(tool, 'execute'))
        ? streamed
        : (input: unknown, options: unknown) => call(input, options),
    });
  }

  #report(name: string, tool: object): void {
    const id = String(Reflect.get(tool, 'id'));
    reportUnhooked(this.#hooks, `hookedTools: calls of "${name}" (${id})`, name);
  }

  #needsApproval(name: string, tool: object, runsHere: boolean): AnyFunction {
    const own: unknown = Reflect.get(tool, 'needsApproval');
    const inputSchema: unknown = Reflect.get(tool, 'inputSchema');
    return async (input, options) => {
      const isWanted = typeof own === 'function' ? await Reflect.apply(own, tool, [input, options]) : own;
      if (isWanted === true) return true;
      const context = readCallContext(options);
      const { toolCallId } = context;
      const approved = findApproval(context);
      const wasAsked = approved !== undefined;
      if (!runsHere && this.#shared.passed.take(toolCallId) === true) return wasAsked;
      const decided = this.#shared.begun.get(toolCallId);
      if (decided === undefined) {
        if (!this.#hooks.system.wouldRun('BeforeTool', { toolName: name })) return wasAsked;
        // With `confirm`, hooks run when the tool is called, because only then can the SDK wait for the user.
        if (runsHere && confirmOf(this.#hooks) !== undefined) return wasAsked;
      }
      const call = decided ?? new BegunCall(this.#hooks, this.#toCall({ name, inputSchema, input }, context));
      const clearance = await call.clearance;
      if (clearance === 'ask' && !wasAsked) {
        this.#shared.begun.take(toolCallId);
        call.drop();
        return true;
      }
      if (!runsHere) await this.#passOn(name, call, clearance);
      else if (decided === undefined) this.#shared.begun.keep(toolCallId, call);
      return clearance === 'ask' || wasAsked;
    };
  }

  #toCall(
    { name, inputSchema, input }: ToolInvocation,
    context: SdkCallContext,
    runTool?: AdapterToolCall['runTool'],
  ): AdapterToolCall {
    const { toolCallId } = context;
    return {
      name,
      input: toArgs(input),
      id: toolCallId === '' ? undefined : toolCallId,
      approved: () => findApproval(context),
      inputSchema: createInputCheck(inputSchema, input),
      outputSchema: createOutputCheck(this.#tools[name]),
      runTool,
    };
  }

  /** A tool without `execute` runs elsewhere, so a denial can only be an error. */
  async #passOn(name: string, call: BegunCall, clearance: 'run' | 'ask' | 'over'): Promise<void> {
    if (clearance !== 'over') return call.drop();
    const { blocked } = await call.finish(() => undefined);
    if (blocked !== undefined) throw createBlockedError('BeforeTool', `Call of the tool "${name}"`, blocked.reason);
  }

  async #execute(
    made: ToolInvocation,
    execute: AnyFunction,
    options: unknown,
    emit: EmitOutput = () => undefined,
  ): Promise<unknown> {
    const context = readCallContext(options);
    const { toolCallId: id, abortSignal } = context;
    forgetStoppedCall(this.#hooks, id);
    const run: RunTool = (args) => awaitLastOutput(execute(toInput(args, made.input), options), emit);
    const call = this.#toCall(made, context, this.#runTool(options));
    return this.#unwrapOutput(id, await this.#shared.begun.finish(this.#hooks, call, run, abortSignal));
  }

  /** A denial is an error for the SDK, because the tool's output type cannot express it. */
  #unwrapOutput(id: string, { blocked, withheld, stopped, output }: CalledTool): unknown {
    rememberStoppedCall(this.#hooks, id, stopped);
    if (blocked !== undefined) {
      const { reason } = blocked;
      this.#shared.outputs.keep(id, { type: 'execution-denied', reason });
      throw createBlockedError('BeforeTool', 'Tool call', reason);
    }
    if (withheld === undefined) return output;
    const value = formatWithheld(withheld.reason);
    this.#shared.outputs.keep(id, { type: 'error-text', value });
    throw new HookwrightError('blocked', value, { details: { eventName: 'AfterTool', reason: withheld.reason } });
  }

  #runTool(options: unknown): NonNullable<AdapterToolCall['runTool']> {
    return (name, args) => {
      const tool = this.#tools[name];
      const execute = isRecord(tool) ? bindMethod(tool, 'execute') : undefined;
      if (execute === undefined) throw new HookwrightError('not_supported', `"${name}" cannot be called here`);
      return awaitLastOutput(execute(args, options), () => undefined);
    };
  }
}

/**
 * Wraps each tool with hooks: BeforeTool, the tool with the arguments that hooks left, AfterTool. A denied call is an
 * error for the SDK. If a hook asks, the SDK requests approval, unless the host has `deps.confirm`. Tools that run at a
 * provider are listed in `hooks.problems`.
 */
export const hookedTools = <T extends Readonly<Record<string, object>>>(
  hooks: Hooks,
  tools: T,
  options: HookedToolsOptions = {},
): T => {
  expectHooks('hookedTools', hooks);
  if (!isRecord(tools)) {
    const found = describeValue(tools);
    throw new HookwrightError(
      'invalid_argument',
      `hookedTools takes an object of tools as its second argument; got ${found}`,
    );
  }
  const hooked = new HookedTools(hooks, tools, options);
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, hooked.wrap(name, tool)] as const);
  return Object.assign({}, tools, Object.fromEntries<unknown>(wrapped));
};
