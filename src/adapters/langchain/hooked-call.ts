// Wraps tool calls of LangChain with hooks, and interrupts the graph if a hook asks.
import {
  AIMessage,
  type BaseMessage,
  type HITLRequest,
  ToolInvocationError,
  ToolMessage,
  type WrapToolCallHook,
} from 'langchain';
import { HookwrightError } from '../../errors.ts';
import { type CalledTool, confirmOf, type Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, isStandardSchema, type Members } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import { readResultText, ToolInterrupted, type ToolResult } from '../../triggers/index.ts';
import { type AdapterToolCall, BegunCall, type RunTool } from '../core/begun-calls.ts';
import { findSchemaMismatch } from '../core/json-schema.ts';
import {
  awaitResultOrFailure,
  forgetStoppedCall,
  formatWithheld,
  rememberStoppedCall,
  ToolFailure,
} from '../core/stopped-calls.ts';
import { NewestEntries } from '../core/wrapping.ts';

type ToolCallHandler = Parameters<WrapToolCallHook>[1];
type HandlerResult = Awaited<ReturnType<ToolCallHandler>>;

/** Errors that interrupt a graph or change its path are no failure of the tool. */
const isGraphBubbleUp = (error: unknown): boolean => isRecord(error) && error.is_bubble_up === true;

const isInvalidArgumentsError = (error: unknown): boolean =>
  ToolInvocationError.isInstance(error) ||
  (error instanceof Error && error.cause !== undefined && isInvalidArgumentsError(error.cause));

const createErrorMessage = ({ toolCall }: ToolRequest, content: string): ToolMessage =>
  new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });

const createFailureMessage = (request: ToolRequest, error: unknown): ToolMessage =>
  createErrorMessage(request, `${String(error)}\n Please fix your mistakes.`);

const findInputSchema = ({ tool }: ToolRequest): AdapterToolCall['inputSchema'] => {
  const schema: unknown = tool === undefined ? undefined : Reflect.get(tool, 'schema');
  if (isStandardSchema(schema)) return schema;
  return schema === undefined ? undefined : (args) => findSchemaMismatch(schema, args);
};

class HookedCall {
  readonly #hooks: Hooks;
  readonly #request: ToolRequest;
  readonly #handler: ToolCallHandler;
  #answer: HandlerResult | undefined;
  /** The answer if it is a `ToolMessage`; cached, because `isInstance` is slow. */
  #message: ToolMessage | undefined;
  #text = '';

  constructor(hooks: Hooks, request: ToolRequest, handler: ToolCallHandler) {
    this.#hooks = hooks;
    this.#request = request;
    this.#handler = handler;
  }

  async run(): Promise<HandlerResult> {
    const called = await awaitResultOrFailure(this.#callTool());
    if (called instanceof ToolFailure) return this.#answer ?? createFailureMessage(this.#request, called);
    return this.#answerTo(called);
  }

  #callTool(): Promise<CalledTool> {
    const { name, args: input, id } = this.#request.toolCall;
    forgetStoppedCall(this.#hooks, id);
    const run = this.#runner(this.#request);
    const { signal } = this.#request.runtime;
    const interrupt = this.#interrupt();
    const inputSchema = findInputSchema(this.#request);
    const runTool = this.#runTool();
    if (interrupt === undefined || !this.#hooks.system.wouldRun('BeforeTool', { toolName: name })) {
      return this.#hooks.callTool(name, input, run, { id, inputSchema, runTool, signal });
    }
    const begun = new BegunCall(this.#hooks, { name, input, id, inputSchema, runTool }, signal);
    return this.#callToolAsking(begun, run, interrupt);
  }

  async #callToolAsking(begun: BegunCall, run: RunTool, interrupt: InterruptGraph): Promise<CalledTool> {
    const { signal } = this.#request.runtime;
    if ((await begun.clearance) !== 'ask') return begun.finish(run, signal);
    try {
      return await begun.finish(run, signal, askUser(interrupt, this.#request, begun.question));
    } catch (error) {
      begun.drop();
      throw error;
    }
  }

  /** Without `tool` in the request, the agent finds the tool by its name. */
  #runTool(): NonNullable<AdapterToolCall['runTool']> {
    return (name, args, context) => {
      const toolCall = { ...this.#request.toolCall, name, args };
      return this.#runner({ ...this.#request, tool: undefined, toolCall })(args, context);
    };
  }

  #interrupt() {
    if (confirmOf(this.#hooks) !== undefined) return undefined;
    const { interrupt, configurable } = this.#request.runtime;
    return configurable?.__pregel_checkpointer === undefined ? undefined : interrupt;
  }

  #runner(request: ToolRequest): RunTool {
    return async (args) => {
      const { toolCall } = request;
      let answer: HandlerResult;
      try {
        answer = await this.#handler(
          args === toolCall.args ? request : { ...request, toolCall: { ...toolCall, args } },
        );
      } catch (error) {
        throw isGraphBubbleUp(error) ? new ToolInterrupted(error) : error;
      }
      this.#answer = answer;
      this.#message = undefined;
      if (!ToolMessage.isInstance(answer)) return { command: answer.update };
      this.#message = answer;
      this.#text = readText(answer.content);
      if (answer.status === 'error') throw new ToolFailure(this.#text, answer);
      return { llmContent: this.#text } satisfies ToolResult;
    };
  }

  #answerTo({ blocked, withheld, stopped, output }: CalledTool): HandlerResult {
    rememberStoppedCall(this.#hooks, this.#request.toolCall.id, stopped);
    if (blocked !== undefined)
      return createErrorMessage(this.#request, `Tool call rejected by hook: ${blocked.reason}`);
    if (withheld !== undefined || this.#answer === undefined) {
      return createErrorMessage(this.#request, formatWithheld(withheld?.reason ?? ''));
    }
    const text = readResultText(output);
    const message = this.#message;
    if (message === undefined || text === undefined || text === this.#text) return this.#answer;
    return replaceContent(message, replaceText(message.content, text));
  }
}

export const runHookedCall = async (
  hooks: Hooks,
  request: ToolRequest,
  handler: ToolCallHandler,
  errors: 'message' | 'throw',
): Promise<HandlerResult> => {
  try {
    return await new HookedCall(hooks, request, handler).run();
  } catch (thrown) {
    // The engine rethrows `ToolInterrupted` unchanged, and the graph needs the error inside.
    const error = thrown instanceof ToolInterrupted ? thrown.cause : thrown;
    const isOver = isGraphBubbleUp(error) || request.runtime.signal?.aborted === true || HookwrightError.is(error);
    if (isOver || errors === 'throw' || isInvalidArgumentsError(error)) throw error;
    return createFailureMessage(request, error);
  }
};

type ToolRequest = Parameters<WrapToolCallHook>[0];
type InterruptGraph = (value: unknown) => unknown;

/** Key from a thread and the ids of an answer's calls → the calls that wait for a user, in the order of the answer. */
const waitingCallsByAnswer = new NewestEntries<readonly string[]>();
const receiverByAnswer = new WeakMap<object, string | undefined>();

const findSiblings = ({ state, toolCall }: ToolRequest): readonly string[] => {
  const messages: unknown = isRecord(state) ? state.messages : undefined;
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (const message of list.toReversed()) {
    if (!AIMessage.isInstance(message)) continue;
    const ids = (message.tool_calls ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (toolCall.id !== undefined && ids.includes(toolCall.id)) return ids;
  }
  return toolCall.id === undefined ? [] : [toolCall.id];
};

const readDecisions = (answer: unknown): readonly Members[] => {
  const decisions = isRecord(answer) ? answer.decisions : undefined;
  return Array.isArray(decisions) ? decisions.filter(isRecord) : [];
};

const createApprovalRequest = ({ toolCall }: ToolRequest, question: ConfirmQuestion | undefined): HITLRequest => {
  const { name, args, id } = toolCall;
  const description = question?.reason ?? `A hook asks whether ${name} may be called`;
  const action = { name, args: { ...(question?.toolInput ?? args) }, description, id };
  return {
    actionRequests: [action],
    reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
  };
};

const isApproved = (answer: unknown, id: string | undefined): boolean => {
  if (typeof answer === 'boolean') return answer;
  const decisions = readDecisions(answer);
  const decision = decisions.find((one) => one.id === id) ?? decisions.find((one) => one.id === undefined);
  if (decision?.type === 'approve' || decision?.type === 'reject') return decision.type === 'approve';
  throw new HookwrightError(
    'invalid_argument',
    `a question of a hook is answered with {decisions: [{type: 'approve'}]} or 'reject'; got ${describeValue(answer)}`,
  );
};

/**
 * A resume value of the whole graph is for the call that it names, else for the first waiting call. Returns `undefined`
 * if this process does not know the waiting calls.
 */
const findReceiver = (answer: unknown, group: readonly string[], key: string): string | undefined => {
  const calls = waitingCallsByAnswer.get(key) ?? [];
  const named = readDecisions(answer).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  if (named.length > 0) return named.find((id) => group.includes(id));
  if (!isRecord(answer)) return calls.length === 1 ? calls[0] : undefined;
  if (!receiverByAnswer.has(answer)) receiverByAnswer.set(answer, calls[0]);
  return receiverByAnswer.get(answer);
};

const askUser = (interrupt: InterruptGraph, request: ToolRequest, question: ConfirmQuestion | undefined): boolean => {
  const { id } = request.toolCall;
  const group = findSiblings(request);
  const { configurable } = request.runtime;
  const key = [configurable?.thread_id, ...group].join(' ');
  const scratchpad: unknown = configurable?.__pregel_scratchpad;
  const bare = isRecord(scratchpad) ? scratchpad.nullResume : undefined;
  if (bare !== undefined && group.length > 1 && isRecord(scratchpad) && findReceiver(bare, group, key) !== id) {
    Reflect.deleteProperty(scratchpad, 'nullResume');
  }
  try {
    const answer = interrupt(createApprovalRequest(request, question));
    waitingCallsByAnswer.keep(key, listOtherCalls(key, id));
    return isApproved(answer, id);
  } catch (error) {
    if (id !== undefined && !HookwrightError.is(error)) {
      const calls = [...listOtherCalls(key, id), id];
      waitingCallsByAnswer.keep(
        key,
        group.filter((one) => calls.includes(one)),
      );
    }
    throw error;
  }
};

const listOtherCalls = (key: string, id: string | undefined): string[] =>
  (waitingCallsByAnswer.get(key) ?? []).filter((one) => one !== id);

/** Clients of providers would send the raw output back instead of the changed content. */
const removeRawOutput = (metadata: Members): Record<string, unknown> => {
  const { output: _raw, ...rest } = metadata;
  return rest;
};

export const replaceContent = <M extends BaseMessage>(message: M, content: unknown): M => {
  const copy = copyWithPrototype(message);
  const changes = { content, response_metadata: removeRawOutput(message.response_metadata ?? {}) };
  // LangChain serializes messages from `lc_kwargs`.
  return Object.assign(copy, changes, { lc_kwargs: { ...message.lc_kwargs, ...changes } });
};

const messageMarks = ['sent-back', 'blocked', 'stopped'] as const;
type MessageMark = (typeof messageMarks)[number];

const MESSAGE_MARK_KEY = 'hookwright';

export const createMessageMark = (mark: MessageMark) => ({ response_metadata: { [MESSAGE_MARK_KEY]: mark } });

export const readMessageMark = (message: BaseMessage | undefined): MessageMark | undefined => {
  const found: unknown = message?.response_metadata?.[MESSAGE_MARK_KEY];
  return messageMarks.find((mark) => mark === found);
};

export const readText = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => {
      if (typeof part === 'string') return [part];
      return isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [];
    })
    .join('');
};

export const replaceText = (content: unknown, text: string): unknown => {
  if (!Array.isArray(content)) return text;
  const others: unknown[] = content.filter((part: unknown) => !(isRecord(part) && part.type === 'text'));
  return [{ type: 'text', text }, ...others];
};
