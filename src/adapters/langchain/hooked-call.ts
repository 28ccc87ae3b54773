/** Tool calls of LangChain with hooks around them, and the questions to persons that come of them. */
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
import { copyOf } from '../../models/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import { ToolInterrupted, type ToolResult, textOfResult } from '../../triggers/index.ts';
import { type AdapterToolCall, BegunCall, type RunTool } from '../core/begun-calls.ts';
import { whyNotBySchema } from '../core/json-schema.ts';
import { forgetStopped, keepStopped, orFailure, ToolFailure } from '../core/stopped-calls.ts';
import { Newest } from '../core/wrapping.ts';

type Handler = Parameters<WrapToolCallHook>[1];
type Answer = Awaited<ReturnType<Handler>>;

interface ToolOptions {
  /** `message`: what a tool throws is told to the model, as an agent without middleware does; `throw`: it is thrown. */
  readonly errors: 'message' | 'throw';
}

/** What a graph throws to be interrupted, or to go elsewhere, is no failure of the tool. */
const isBubble = (error: unknown): boolean => isRecord(error) && error.is_bubble_up === true;

/** Arguments that do not fit: the agent tells the model by itself. */
const isToldByAgent = (error: unknown): boolean =>
  ToolInvocationError.isInstance(error) ||
  (error instanceof Error && error.cause !== undefined && isToldByAgent(error.cause));

const messageFor = ({ toolCall }: ToolRequest, content: string): ToolMessage =>
  new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });

/** In the words of the SDK. */
const failure = (request: ToolRequest, error: unknown): ToolMessage =>
  messageFor(request, `${String(error)}\n Please fix your mistakes.`);

/** What the tool takes: a schema of zod or the like, or a JSON Schema. */
const schemaOf = ({ tool }: ToolRequest): AdapterToolCall['inputSchema'] => {
  const schema: unknown = tool === undefined ? undefined : Reflect.get(tool, 'schema');
  if (isStandardSchema(schema)) return schema;
  return schema === undefined ? undefined : (args) => whyNotBySchema(schema, args);
};

/** The answer of one tool, and what hooks have to do with it. */
class HookedCall {
  readonly #hooks: Hooks;
  readonly #request: ToolRequest;
  readonly #handler: Handler;
  #answer: Answer | undefined;
  /** The answer if it is a message, and its text: asking a class whether a message is its own is slow. */
  #message: ToolMessage | undefined;
  #text = '';

  constructor(hooks: Hooks, request: ToolRequest, handler: Handler) {
    this.#hooks = hooks;
    this.#request = request;
    this.#handler = handler;
  }

  async run(): Promise<Answer> {
    const called = await orFailure(this.#called());
    // A failed tool has answered, unless it threw.
    if (called instanceof ToolFailure) return this.#answer ?? failure(this.#request, called);
    return this.#answerTo(called);
  }

  #called(): Promise<CalledTool> {
    const { name, args: input, id } = this.#request.toolCall;
    forgetStopped(this.#hooks, id);
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

  /** Without a tool of its own the agent looks for one of that name. */
  #runTool(): NonNullable<AdapterToolCall['runTool']> {
    return (name, args, context) => {
      const toolCall = { ...this.#request.toolCall, name, args };
      return this.#runner({ ...this.#request, tool: undefined, toolCall })(args, context);
    };
  }

  /** `deps.confirm` answers where the host has one. Where nothing is kept a graph cannot be interrupted. */
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
    keepStopped(this.#hooks, this.#request.toolCall.id, stopped);
    if (blocked !== undefined) return messageFor(this.#request, `Tool call rejected by hook: ${blocked.reason}`);
    if (withheld !== undefined || this.#answer === undefined) {
      return messageFor(this.#request, `The tool has run; its result is withheld: ${withheld?.reason ?? ''}`);
    }
    const text = textOfResult(output);
    const message = this.#message;
    if (message === undefined || text === undefined || text === this.#text) return this.#answer;
    return retold(message, withText(message.content, text));
  }
}

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

type ToolRequest = Parameters<WrapToolCallHook>[0];
type Members = Readonly<Record<string, unknown>>;
type Interrupt = (value: unknown) => unknown;

/** Calls of one answer of the model that wait for a person, in the order of the answer; by all calls of that answer. */
const waiting = new Newest<readonly string[]>();
/** Whose an answer is that names no call. */
const takers = new WeakMap<object, string | undefined>();

/** The calls of the answer of the model to which this one belongs. */
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

/** A person is asked in the form of the SDK's own middleware for that. */
const questionFor = ({ toolCall }: ToolRequest, question: ConfirmQuestion | undefined): HITLRequest => {
  const { name, args, id } = toolCall;
  const description = question?.reason ?? `A hook asks whether ${name} may be called`;
  const action = { name, args: { ...(question?.toolInput ?? args) }, description, id };
  return {
    actionRequests: [action],
    reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
  };
};

/** What a person answered about a call; a bare `true` will do, too. */
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
 * The waiting call that an answer to the whole graph belongs to: the one it names, else the first that waits;
 * `undefined` if no process here knows which do.
 */
const takerOf = (answer: unknown, group: readonly string[], key: string): string | undefined => {
  const calls = waiting.get(key) ?? [];
  const named = decisionsIn(answer).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  if (named.length > 0) return named.find((id) => group.includes(id));
  if (!isRecord(answer)) return calls.length === 1 ? calls[0] : undefined;
  if (!takers.has(answer)) takers.set(answer, calls[0]);
  return takers.get(answer);
};

/** Puts the question of a hook to a person: throws what interrupts the graph, and has the answer when that goes on. */
const askPerson = (interrupt: Interrupt, request: ToolRequest, question: ConfirmQuestion | undefined): boolean => {
  const { id } = request.toolCall;
  const group = siblingsOf(request);
  const { configurable } = request.runtime;
  const key = [configurable?.thread_id, ...group].join(' ');
  const scratchpad: unknown = configurable?.__pregel_scratchpad;
  const bare = isRecord(scratchpad) ? scratchpad.nullResume : undefined;
  if (bare !== undefined && group.length > 1 && isRecord(scratchpad) && takerOf(bare, group, key) !== id) {
    // An answer that is another call's is not read here: this one asks anew.
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

/** What of an answer a provider's client keeps to send back word for word; with other words it would undo them. */
const withoutRaw = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { output: _raw, ...rest } = metadata;
  return rest;
};

/** The same message of the same class in other words. */
export const retold = <M extends BaseMessage>(message: M, content: unknown): M => {
  const copy = copyOf(message);
  const changes = { content, response_metadata: withoutRaw(message.response_metadata ?? {}) };
  // Messages are kept by what they were made of.
  return Object.assign(copy, changes, { lc_kwargs: { ...message.lc_kwargs, ...changes } });
};

const marks = ['sent-back', 'blocked', 'stopped'] as const;
type Mark = (typeof marks)[number];

const KEY = 'hookwright';

/** Metadata by which a message of ours is known again, also when it was kept and read. */
export const marked = (mark: Mark) => ({ response_metadata: { [KEY]: mark } });

export const markOf = (message: BaseMessage | undefined): Mark | undefined => {
  const found: unknown = message?.response_metadata?.[KEY];
  return marks.find((mark) => mark === found);
};

/** All words of some content; what is no text is left out. */
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

/** Content with other words: in place of the first text, what is no text stays. */
export const withText = (content: unknown, text: string): unknown => {
  if (!Array.isArray(content)) return text;
  const others: unknown[] = content.filter((part: unknown) => !(isRecord(part) && part.type === 'text'));
  return [{ type: 'text', text }, ...others];
};
