import { HookwrightError } from '../../errors.ts';
import type { CalledTool, Hooks } from '../../facade/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { copyOf } from '../../translator/index.ts';
import type { Args } from '../../triggers/index.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { refused } from '../core/refusal.ts';
import { forgetStopped, keepStopped } from '../core/stopped-calls.ts';
import { BegunCall, BegunCalls, callAtOnce, type RunTool, type ToolCallOf } from '../core/tool-call.ts';
import { modelOutput, refusedOutput } from './refused-output.ts';

type Members = Readonly<Record<string, unknown>>;

/** What a tool is told beside its input, as far as we look at it. */
interface CallContext {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal: AbortSignal | undefined;
}

const contextOf = (options: unknown): CallContext => {
  const { toolCallId, messages, abortSignal }: Members = isRecord(options) ? options : {};
  return {
    toolCallId: typeof toolCallId === 'string' ? toolCallId : '',
    messages: Array.isArray(messages) ? messages : [],
    abortSignal: abortSignal instanceof AbortSignal ? abortSignal : undefined,
  };
};

const partsIn = (messages: readonly unknown[]): Members[] =>
  messages.flatMap((message) =>
    isRecord(message) && Array.isArray(message.content) ? message.content.filter(isRecord) : [],
  );

/** What the person said whom the SDK asked about this call; nothing when nobody was. */
const approvalOf = ({ messages, toolCallId }: CallContext): boolean | undefined => {
  const parts = partsIn(messages);
  const request = parts.find((part) => part.type === 'tool-approval-request' && part.toolCallId === toolCallId);
  if (request === undefined) return undefined;
  const response = parts.find(
    (part) => part.type === 'tool-approval-response' && part.approvalId === request.approvalId,
  );
  return typeof response?.approved === 'boolean' ? response.approved : undefined;
};

/** Schemas of inputs that are no objects are rare; hooks see such an input under a name. */
const asArgs = (input: unknown): Args => (isRecord(input) ? input : { input });

const inputFrom = (args: Args, original: unknown): unknown => (isRecord(original) ? args : args.input);

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** A tool may give preliminary outputs; the last one counts. */
const lastOf = async (returned: unknown): Promise<unknown> => {
  const given = await returned;
  if (!isAsyncIterable(given)) return given;
  let last: unknown;
  for await (const output of given) last = output;
  return last;
};

type Callable = (...values: unknown[]) => unknown;

const methodOf = (tool: object, name: string): Callable | undefined => {
  const method: unknown = Reflect.get(tool, name);
  return typeof method === 'function' ? (...values) => Reflect.apply(method, tool, values) : undefined;
};

/** Follow-up calls that hooks want, one after the other. */
const MAX_TAIL_CALLS = 5;

class HookedTools {
  readonly #hooks: Hooks;
  readonly #tools: Members;
  readonly #begun = new BegunCalls();

  constructor(hooks: Hooks, tools: Members) {
    this.#hooks = hooks;
    this.#tools = tools;
  }

  wrap(name: string, tool: object): object {
    // What a provider runs is over when we hear of it.
    if (/^provider/.test(String(Reflect.get(tool, 'type')))) return tool;
    const execute = methodOf(tool, 'execute');
    const needsApproval = this.#needsApproval(name, tool, execute !== undefined);
    if (execute === undefined) return Object.assign(copyOf(tool), { needsApproval });
    return Object.assign(copyOf(tool), {
      needsApproval,
      execute: (input: unknown, options: unknown) => this.#execute(name, execute, input, options),
      toModelOutput: modelOutput(methodOf(tool, 'toModelOutput')),
    });
  }

  /** The SDK asks before it calls a tool; it asks again when a person has answered, and calls it then. */
  #needsApproval(name: string, tool: object, runsHere: boolean): Callable {
    const own: unknown = Reflect.get(tool, 'needsApproval');
    return async (input, options) => {
      const isWanted = typeof own === 'function' ? await Reflect.apply(own, tool, [input, options]) : own;
      // The application asks about this call anyway: hooks speak when it is made.
      if (isWanted === true) return true;
      if (!this.#hooks.system.wouldRun('BeforeTool', { toolName: name })) return false;
      const context = contextOf(options);
      const call = new BegunCall(this.#hooks, this.#callOf(name, input, context));
      const said = await call.said;
      if (said === 'ask' && approvalOf(context) === undefined) {
        call.drop();
        return true;
      }
      if (runsHere) this.#begun.keep(context.toolCallId, call);
      else await this.#passOn(name, call, said);
      return said === 'ask';
    };
  }

  #callOf(name: string, input: unknown, context: CallContext): ToolCallOf {
    const { toolCallId } = context;
    return {
      name,
      input: asArgs(input),
      id: toolCallId === '' ? undefined : toolCallId,
      approved: () => approvalOf(context),
    };
  }

  /** A tool that runs elsewhere is not ours to call: a refusal has no place but an error. */
  async #passOn(name: string, call: BegunCall, said: 'run' | 'ask' | 'over'): Promise<void> {
    if (said !== 'over') return call.drop();
    const { blocked } = await call.finish(() => undefined);
    if (blocked !== undefined) throw refused('BeforeTool', `Call of the tool "${name}"`, blocked.reason);
  }

  async #execute(name: string, execute: Callable, input: unknown, options: unknown): Promise<unknown> {
    const context = contextOf(options);
    const { toolCallId, abortSignal } = context;
    forgetStopped(this.#hooks, toolCallId);
    const run: RunTool = (args) => lastOf(execute(inputFrom(args, input), options));
    const begun = this.#begun.take(toolCallId);
    const first =
      begun === undefined
        ? callAtOnce(this.#hooks, this.#callOf(name, input, context), run, abortSignal)
        : begun.finish(run, abortSignal);
    const called = await this.#withTail(name, await first, options);
    const { blocked, withheld, stopped, output } = called;
    if (stopped !== undefined) keepStopped(this.#hooks, toolCallId, stopped.reason);
    if (blocked !== undefined) return refusedOutput('execution-denied', blocked.reason);
    return withheld === undefined ? output : refusedOutput('result-withheld', withheld.reason);
  }

  async #withTail(originalName: string, first: CalledTool, options: unknown): Promise<CalledTool> {
    const { toolCallId, abortSignal: signal } = contextOf(options);
    let called = first;
    for (let calls = 0; called.tailToolCall !== undefined && calls < MAX_TAIL_CALLS; calls += 1) {
      const { name, args } = called.tailToolCall;
      const tool = this.#tools[name];
      const execute = isRecord(tool) ? methodOf(tool, 'execute') : undefined;
      if (execute === undefined) {
        throw new HookwrightError(
          'not_supported',
          `A hook wants the tool "${name}" called, which cannot be called here`,
        );
      }
      const run: RunTool = (input) => lastOf(execute(input, options));
      called = await this.#hooks.callTool(name, args, run, { originalName, id: toolCallId || undefined, signal });
    }
    return called;
  }
}

/**
 * The tools with hooks around each: BeforeTool, the tool with the arguments hooks made of its own, AfterTool. A refused call
 * is to the model what the SDK makes of a call that a person denied; a hook that asks becomes the SDK's own approval.
 */
export const hookedTools = <T extends Readonly<Record<string, object>>>(hooks: Hooks, tools: T): T => {
  expectHooks('hookedTools', hooks);
  if (!isRecord(tools)) {
    const found = describeValue(tools);
    throw new HookwrightError(
      'invalid_argument',
      `hookedTools takes an object of tools as its second argument; got ${found}`,
    );
  }
  const hooked = new HookedTools(hooks, tools);
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, hooked.wrap(name, tool)] as const);
  return Object.assign({}, tools, Object.fromEntries<unknown>(wrapped));
};
