import { type HITLRequest, ToolInvocationError, ToolMessage, type WrapToolCallHook } from 'langchain';
import { HookwrightError } from '../../errors.ts';
import type { CalledTool, Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, textOf } from '../../kit/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import { ToolInterrupted, type ToolResult } from '../../triggers/index.ts';
import { forgetStopped, keepStopped } from '../core/stopped-calls.ts';
import { BegunCall, type RunTool } from '../core/tool-call.ts';
import { retold, textIn, withText } from './messages.ts';

export type ToolRequest = Parameters<WrapToolCallHook>[0];
type Handler = Parameters<WrapToolCallHook>[1];
type Answer = Awaited<ReturnType<Handler>>;

export interface ToolOptions {
  /** `message`: what a tool throws is told to the model, as an agent without middleware does; `throw`: it is thrown. */
  readonly errors: 'message' | 'throw';
}

/** What a graph throws to be interrupted, or to go elsewhere, is no failure of the tool. */
const isBubble = (error: unknown): boolean => isRecord(error) && error.is_bubble_up === true;

/** Arguments that do not fit: the agent tells the model by itself. */
const isToldByAgent = (error: unknown): boolean =>
  ToolInvocationError.isInstance(error) ||
  (error instanceof Error && error.cause !== undefined && isToldByAgent(error.cause));

const MAX_TAIL_CALLS = 5;

const shown = (answer: Answer): ToolResult | { readonly command: unknown } => {
  if (!ToolMessage.isInstance(answer)) return { command: answer.update };
  const llmContent = textIn(answer.content);
  return answer.status === 'error' ? { llmContent, error: { message: llmContent } } : { llmContent };
};

const messageFor = ({ toolCall }: ToolRequest, content: string): ToolMessage =>
  new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });

/** In the words of the SDK. */
const failure = (request: ToolRequest, error: unknown): ToolMessage =>
  messageFor(request, `${String(error)}\n Please fix your mistakes.`);

/** A person is asked in the form of the SDK's own middleware for that. */
const questionFor = ({ toolCall }: ToolRequest, question: ConfirmQuestion | undefined): HITLRequest => {
  const { name, args } = toolCall;
  const description = question?.reason ?? `A hook asks whether ${name} may be called`;
  return {
    actionRequests: [{ name, args: { ...(question?.toolInput ?? args) }, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
  };
};

/** What a person answered; a bare `true` will do, too. */
const isApproved = (answer: unknown): boolean => {
  if (typeof answer === 'boolean') return answer;
  const decisions = isRecord(answer) ? answer.decisions : undefined;
  const [decision]: unknown[] = Array.isArray(decisions) ? decisions : [];
  if (isRecord(decision) && (decision.type === 'approve' || decision.type === 'reject'))
    return decision.type === 'approve';
  throw new HookwrightError(
    'invalid_argument',
    `a question of a hook is answered with {decisions: [{type: 'approve'}]} or 'reject'; got ${describeValue(answer)}`,
  );
};

/** The answer of one tool, and what hooks have to do with it. */
class HookedCall {
  readonly #hooks: Hooks;
  readonly #request: ToolRequest;
  readonly #handler: Handler;
  #answer: Answer | undefined;

  constructor(hooks: Hooks, request: ToolRequest, handler: Handler) {
    this.#hooks = hooks;
    this.#request = request;
    this.#handler = handler;
  }

  async run(): Promise<Answer> {
    return this.#told(await this.#called());
  }

  async #called(): Promise<CalledTool> {
    const { name, args: input, id } = this.#request.toolCall;
    if (id !== undefined) forgetStopped(this.#hooks, id);
    const run = this.#runner(this.#request);
    const { signal } = this.#request.runtime;
    const interrupt = this.#interrupt();
    if (interrupt === undefined || !this.#hooks.system.wouldRun('BeforeTool', { toolName: name })) {
      return this.#hooks.callTool(name, input, run, { id, signal });
    }
    const begun = new BegunCall(this.#hooks, { name, input, id });
    if ((await begun.said) !== 'ask') return begun.finish(run, signal);
    try {
      // Throws what interrupts the graph; asked again when it goes on, it has the answer.
      const answer = interrupt(questionFor(this.#request, begun.question));
      return await begun.finish(run, signal, isApproved(answer));
    } catch (error) {
      begun.drop();
      throw error;
    }
  }

  /** Where nothing is kept a graph cannot be interrupted; who is asked then is `deps.confirm`. */
  #interrupt() {
    const { interrupt, configurable } = this.#request.runtime;
    return configurable?.__pregel_checkpointer === undefined ? undefined : interrupt;
  }

  #runner(request: ToolRequest): RunTool {
    return async (args) => {
      const { toolCall } = request;
      try {
        this.#answer = await this.#handler(
          args === toolCall.args ? request : { ...request, toolCall: { ...toolCall, args } },
        );
      } catch (error) {
        throw isBubble(error) ? new ToolInterrupted(error) : error;
      }
      return shown(this.#answer);
    };
  }

  async #told(first: CalledTool): Promise<Answer> {
    const called = await this.#withTail(first);
    const { id } = this.#request.toolCall;
    const { blocked, withheld, stopped, output } = called;
    if (stopped !== undefined && id !== undefined) keepStopped(this.#hooks, id, stopped.reason);
    if (blocked !== undefined) return messageFor(this.#request, `Tool call rejected by hook: ${blocked.reason}`);
    if (withheld !== undefined || this.#answer === undefined) {
      return messageFor(this.#request, `The tool has run; its result is withheld: ${withheld?.reason ?? ''}`);
    }
    return withOutput(this.#answer, output);
  }

  async #withTail(first: CalledTool): Promise<CalledTool> {
    let called = first;
    const { name: originalName, id } = this.#request.toolCall;
    for (let calls = 0; called.tailToolCall !== undefined && calls < MAX_TAIL_CALLS; calls += 1) {
      const { name, args } = called.tailToolCall;
      // Without a tool of its own the agent looks for one of that name.
      const run = this.#runner({
        ...this.#request,
        tool: undefined,
        toolCall: { ...this.#request.toolCall, name, args },
      });
      called = await this.#hooks.callTool(name, args, run, { originalName, id, signal: this.#request.runtime.signal });
    }
    return called;
  }
}

const withOutput = (answer: Answer, output: unknown): Answer => {
  if (!ToolMessage.isInstance(answer)) return answer;
  const text = isRecord(output) ? textOf(output.llmContent) : undefined;
  return text === undefined || text === textIn(answer.content)
    ? answer
    : retold(answer, withText(answer.content, text));
};

/** A tool call with its hooks around it. */
export const hookedCall = async (
  hooks: Hooks,
  request: ToolRequest,
  handler: Handler,
  { errors }: ToolOptions,
): Promise<Answer> => {
  try {
    return await new HookedCall(hooks, request, handler).run();
  } catch (thrown) {
    // Hooks that are not ours to the letter, as those of another copy of this package, do not know what that is.
    const error = thrown instanceof ToolInterrupted ? thrown.cause : thrown;
    const isOver = isBubble(error) || request.runtime.signal?.aborted === true || HookwrightError.is(error);
    if (isOver || errors === 'throw' || isToldByAgent(error)) throw error;
    return failure(request, error);
  }
};
