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
import { describeValue, isRecord, isStandardSchema } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import { ToolInterrupted, type ToolResult, textOfResult } from '../../triggers/index.ts';
import { type AdapterToolCall, BegunCall, type RunTool } from '../core/begun-calls.ts';
import { whyNotBySchema } from '../core/json-schema.ts';
import { forgetStoppedCall, rememberStoppedCall, resultOrFailure, ToolFailure } from '../core/stopped-calls.ts';
import { NewestEntries } from '../core/wrapping.ts';

type Handler = Parameters<WrapToolCallHook>[1];
type Answer = Awaited<ReturnType<Handler>>;

interface ToolOptions {
  /** `message`: the model gets the error of a tool, as in an agent without middleware. `throw`: the error is thrown. */
  readonly errors: 'message' | 'throw';
}

/** Errors that interrupt a graph or change its path; they are no failure of the tool. */
const isBubble = (error: unknown): boolean => isRecord(error) && error.is_bubble_up === true;

/** Invalid arguments, which the agent itself reports to the model. */
const isToldByAgent = (error: unknown): boolean =>
  ToolInvocationError.isInstance(error) ||
  (error instanceof Error && error.cause !== undefined && isToldByAgent(error.cause));

const messageFor = ({ toolCall }: ToolRequest, content: string): ToolMessage =>
  new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });

const failure = (request: ToolRequest, error: unknown): ToolMessage =>
  messageFor(request, `${String(error)}\n Please fix your mistakes.`);

/** Input schema of the tool: a Standard Schema, or a check by its JSON Schema. */
const schemaOf = ({ tool }: ToolRequest): AdapterToolCall['inputSchema'] => {
  const schema: unknown = tool === undefined ? undefined : Reflect.get(tool, 'schema');
  if (isStandardSchema(schema)) return schema;
  return schema === undefined ? undefined : (args) => whyNotBySchema(schema, args);
};

class HookedCall {
  readonly #hooks: Hooks;
  readonly #request: ToolRequest;
  readonly #handler: Handler;
  #answer: Answer | undefined;
  /** The answer if it is a message, and its text. Cached, because `isInstance` is slow. */
  #message: ToolMessage | undefined;
  #text = '';

  constructor(hooks: Hooks, request: ToolRequest, handler: Handler) {
    this.#hooks = hooks;
    this.#request = request;
    this.#handler = handler;
  }

  async run(): Promise<Answer> {
    const called = await resultOrFailure(this.#called());
    // A failed tool has an answer, unless it threw.
    if (called instanceof ToolFailure) return this.#answer ?? failure(this.#request, called);
    return this.#answerTo(called);
  }

  #called(): Promise<CalledTool> {
    const { name, args: input, id } = this.#request.toolCall;
    forgetStoppedCall(this.#hooks, id);
    const run = this.#runner(this.#request);
    const { signal } = this.#request.runtime;
    const interrupt = this.#interrupt();
    const inputSchema = schemaOf(this.#request);
    const runTool = this.#runTool();
    if (interrupt === undefined || !this.#hooks.system.wouldRun('BeforeTool', { toolName: name })) {
      return this.#hooks.callTool(name, input, run, { id, inputSchema, runTool, signal });
    }
    const begun = new BegunCall(this.#hooks, { name, input, id, inputSchema, runTool }, signal);
    return this.#calledAsking(begun, run, interrupt);
  }

  async #calledAsking(begun: BegunCall, run: RunTool, interrupt: Interrupt): Promise<CalledTool> {
    const { signal } = this.#request.runtime;
    if ((await begun.clearance) !== 'ask') return begun.finish(run, signal);
    try {
      return await begun.finish(run, signal, askPerson(interrupt, this.#request, begun.question));
    } catch (error) {
      begun.drop();
      throw error;
    }
  }

  /** Without a tool in the request, the agent finds one by name. */
  #runTool(): NonNullable<AdapterToolCall['runTool']> {
    return (name, args, context) => {
      const toolCall = { ...this.#request.toolCall, name, args };
      return this.#runner({ ...this.#request, tool: undefined, toolCall })(args, context);
    };
  }

  /** `undefined` if `deps.confirm` answers, or if the graph has no checkpointer and so cannot be interrupted. */
  #interrupt() {
    if (confirmOf(this.#hooks) !== undefined) return undefined;
    const { interrupt, configurable } = this.#request.runtime;
    return configurable?.__pregel_checkpointer === undefined ? undefined : interrupt;
  }

  #runner(request: ToolRequest): RunTool {
    return async (args) => {
      const { toolCall } = request;
      let answer: Answer;
      try {
        answer = await this.#handler(
          args === toolCall.args ? request : { ...request, toolCall: { ...toolCall, args } },
        );
      } catch (error) {
        throw isBubble(error) ? new ToolInterrupted(error) : error;
      }
      this.#answer = answer;
      this.#message = undefined;
      if (!ToolMessage.isInstance(answer)) return { command: answer.update };
      this.#message = answer;
      this.#text = textIn(answer.content);
      if (answer.status === 'error') throw new ToolFailure(this.#text, answer);
      return { llmContent: this.#text } satisfies ToolResult;
    };
  }

  #answerTo({ blocked, withheld, stopped, output }: CalledTool): Answer {
    rememberStoppedCall(this.#hooks, this.#request.toolCall.id, stopped);
    if (blocked !== undefined) return messageFor(this.#request, `Tool call rejected by hook: ${blocked.reason}`);
    if (withheld !== undefined || this.#answer === undefined) {
      return messageFor(this.#request, `The tool has run; its result is withheld: ${withheld?.reason ?? ''}`);
    }
    const text = textOfResult(output);
    const message = this.#message;
    if (message === undefined || text === undefined || text === this.#text) return this.#answer;
    return withContent(message, withText(message.content, text));
  }
}

/** Runs a tool call with its hooks. */
export const hookedCall = async (
  hooks: Hooks,
  request: ToolRequest,
  handler: Handler,
  { errors }: ToolOptions,
): Promise<Answer> => {
  try {
    return await new HookedCall(hooks, request, handler).run();
  } catch (thrown) {
    // Hooks of another copy of this package throw this wrapper unchanged.
    const error = thrown instanceof ToolInterrupted ? thrown.cause : thrown;
    const isOver = isBubble(error) || request.runtime.signal?.aborted === true || HookwrightError.is(error);
    if (isOver || errors === 'throw' || isToldByAgent(error)) throw error;
    return failure(request, error);
  }
};

type ToolRequest = Parameters<WrapToolCallHook>[0];
type Members = Readonly<Record<string, unknown>>;
type Interrupt = (value: unknown) => unknown;

/** Calls that wait for a user, in the order of the model's answer; by the ids of all calls of that answer. */
const waiting = new NewestEntries<readonly string[]>();
/** Answer of a user without a call id → the call that takes it. */
const takers = new WeakMap<object, string | undefined>();

const siblingsOf = ({ state, toolCall }: ToolRequest): readonly string[] => {
  const messages: unknown = isRecord(state) ? state.messages : undefined;
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (const message of list.toReversed()) {
    if (!AIMessage.isInstance(message)) continue;
    const ids = (message.tool_calls ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (toolCall.id !== undefined && ids.includes(toolCall.id)) return ids;
  }
  return toolCall.id === undefined ? [] : [toolCall.id];
};

const decisionsIn = (answer: unknown): readonly Members[] => {
  const decisions = isRecord(answer) ? answer.decisions : undefined;
  return Array.isArray(decisions) ? decisions.filter(isRecord) : [];
};

/** A question in the format of the SDK's own human-in-the-loop middleware. */
const questionFor = ({ toolCall }: ToolRequest, question: ConfirmQuestion | undefined): HITLRequest => {
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
  const decisions = decisionsIn(answer);
  const decision = decisions.find((one) => one.id === id) ?? decisions.find((one) => one.id === undefined);
  if (decision?.type === 'approve' || decision?.type === 'reject') return decision.type === 'approve';
  throw new HookwrightError(
    'invalid_argument',
    `a question of a hook is answered with {decisions: [{type: 'approve'}]} or 'reject'; got ${describeValue(answer)}`,
  );
};

/**
 * The waiting call that takes a resume value of the whole graph: the call that it names, else the first waiting one;
 * `undefined` if this process does not know the waiting calls.
 */
const takerOf = (answer: unknown, group: readonly string[], key: string): string | undefined => {
  const calls = waiting.get(key) ?? [];
  const named = decisionsIn(answer).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  if (named.length > 0) return named.find((id) => group.includes(id));
  if (!isRecord(answer)) return calls.length === 1 ? calls[0] : undefined;
  if (!takers.has(answer)) takers.set(answer, calls[0]);
  return takers.get(answer);
};

/** Asks a user: throws the interrupt of the graph, and returns the answer when the graph resumes. */
const askPerson = (interrupt: Interrupt, request: ToolRequest, question: ConfirmQuestion | undefined): boolean => {
  const { id } = request.toolCall;
  const group = siblingsOf(request);
  const { configurable } = request.runtime;
  const key = [configurable?.thread_id, ...group].join(' ');
  const scratchpad: unknown = configurable?.__pregel_scratchpad;
  const bare = isRecord(scratchpad) ? scratchpad.nullResume : undefined;
  if (bare !== undefined && group.length > 1 && isRecord(scratchpad) && takerOf(bare, group, key) !== id) {
    // The answer is for another call, so this call asks again.
    Reflect.deleteProperty(scratchpad, 'nullResume');
  }
  try {
    const answer = interrupt(questionFor(request, question));
    waiting.keep(key, without(key, id));
    return isApproved(answer, id);
  } catch (error) {
    if (id !== undefined && !HookwrightError.is(error)) {
      const calls = [...without(key, id), id];
      waiting.keep(
        key,
        group.filter((one) => calls.includes(one)),
      );
    }
    throw error;
  }
};

const without = (key: string, id: string | undefined): string[] => (waiting.get(key) ?? []).filter((one) => one !== id);

/** Removes the raw output, which clients of providers would send back instead of the changed content. */
const withoutRaw = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { output: _raw, ...rest } = metadata;
  return rest;
};

/** A copy of a message with other content. */
export const withContent = <M extends BaseMessage>(message: M, content: unknown): M => {
  const copy = copyWithPrototype(message);
  const changes = { content, response_metadata: withoutRaw(message.response_metadata ?? {}) };
  // LangChain serializes messages from `lc_kwargs`.
  return Object.assign(copy, changes, { lc_kwargs: { ...message.lc_kwargs, ...changes } });
};

const marks = ['sent-back', 'blocked', 'stopped'] as const;
type Mark = (typeof marks)[number];

const KEY = 'hookwright';

/** Metadata that marks a message of ours, also after it was stored. */
export const marked = (mark: Mark) => ({ response_metadata: { [KEY]: mark } });

export const markOf = (message: BaseMessage | undefined): Mark | undefined => {
  const found: unknown = message?.response_metadata?.[KEY];
  return marks.find((mark) => mark === found);
};

/** The text of a content; other parts are ignored. */
export const textIn = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => {
      if (typeof part === 'string') return [part];
      return isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [];
    })
    .join('');
};

/** Replaces the text of a content; other parts stay. */
export const withText = (content: unknown, text: string): unknown => {
  if (!Array.isArray(content)) return text;
  const others: unknown[] = content.filter((part: unknown) => !(isRecord(part) && part.type === 'text'));
  return [{ type: 'text', text }, ...others];
};
