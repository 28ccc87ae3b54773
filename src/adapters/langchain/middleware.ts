/** Middleware for agents of LangChain: hooks around prompts, calls of the model and tool calls. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ChatResult } from '@langchain/core/outputs';
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createMiddleware,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type WrapModelCallHook,
} from 'langchain';
import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, once, textOf } from '../../kit/index.ts';
import {
  type LangChainEntry,
  type LangChainRequest,
  type LangChainResponse,
  langchainTranslator,
} from '../../models/translators.ts';
import { type AskModel, isAgainst } from '../../protocol/index.ts';
import {
  type AdapterModelCall,
  afterModelCall,
  beforeModelCall,
  changedSettings,
  knownSettings,
  otherModel,
} from '../core/model-call.ts';
import { stoppedText, takeStopped } from '../core/stopped-calls.ts';
import { expectHooks } from '../core/wrapping.ts';
import { hookedCall, marked, markOf, retold, textIn, withText } from './hooked-call.ts';

export interface HooksMiddlewareOptions {
  /**
   * What becomes of the tokens of a streamed answer while AfterModel hooks have not seen the whole of it. `hold`: who streams
   * messages gets it when they have spoken. `live`: as they come, and what hooks change is what the agent keeps. `auto` when left out: held while there are AfterModel hooks.
   */
  readonly stream?: 'auto' | 'hold' | 'live' | undefined;
  /** The model to ask when a hook names another one. Without it such a call is refused with an error. */
  readonly modelFor?: ((modelId: string) => AgentModel | undefined) | undefined;
  /**
   * What becomes of an error of a tool: `message`, when left out, tells the model, as an agent without middleware does; `throw`
   * throws it, for a middleware before this one that tries again.
   */
  readonly toolErrors?: 'message' | 'throw' | undefined;
}

/**
 * Middleware for `createAgent` that puts hooks around prompts, calls of the model and tool calls. It stands first in the list,
 * so that hooks have the last word on what a tool is given and what becomes of its result.
 */
export const hooksMiddleware = (hooks: Hooks, options: HooksMiddlewareOptions = {}): AgentMiddleware => {
  expectHooks('hooksMiddleware', hooks);
  const { stream = 'auto', modelFor, toolErrors = 'message' } = options;
  const models = new ModelCalls(hooks, { stream, modelFor });
  return createMiddleware({
    name: 'hookwright',
    beforeAgent: {
      canJumpTo: ['end'],
      hook: ({ messages }, { signal }) => beforeTurn(hooks, { messages, signal }),
    },
    wrapModelCall: (request, handler) => models.call(request, handler),
    wrapToolCall: (request, handler) => hookedCall(hooks, request, handler, { errors: toolErrors }),
    afterAgent: {
      canJumpTo: ['model'],
      hook: ({ messages }, { signal }) => afterTurn(hooks, { messages, signal }),
    },
  });
};

type AgentModel = AgentRequest['model'];
type Handler = Parameters<WrapModelCallHook>[1];

interface ModelOptions {
  readonly stream: 'auto' | 'hold' | 'live';
  readonly modelFor: ((modelId: string) => AgentModel | undefined) | undefined;
}

/** The tool calls whose results the model is to be systemEntry, at the end of the conversation. */
function* answeredCalls(messages: readonly BaseMessage[]): Iterable<string> {
  for (const message of [...messages].reverse()) {
    if (!ToolMessage.isInstance(message)) return;
    yield message.tool_call_id;
  }
}

const finishOf = ({ response_metadata: metadata = {} }: AIMessage): string | undefined =>
  textOf(metadata.finish_reason) ?? textOf(metadata.stop_reason) ?? textOf(metadata.finishReason);

const shown = (answer: AIMessage): LangChainResponse => {
  const finish = finishOf(answer);
  return { content: answer.content, usage: answer.usage_metadata ?? {}, ...(finish === undefined ? {} : { finish }) };
};

/** What the agent's own handler gives where an answer has to fit a schema: the answer is among its messages. */
const structuredAnswer = (answer: object): AIMessage | undefined => {
  const messages: unknown = Reflect.get(answer, 'messages');
  return Array.isArray(messages) ? messages.find((message) => AIMessage.isInstance(message)) : undefined;
};

/** Callbacks that show tokens of a model to the users of the agent leave models with this tag alone. */
const HELD = 'nostream';

const held = (request: AgentRequest): AgentRequest => {
  const { model, modelSettings, responseFormat } = request;
  // A model that is bound to something is asked for structured answers in another way.
  if (responseFormat === undefined && isRecord(model) && typeof model.withConfig === 'function') {
    return { ...request, model: model.withConfig({ tags: [HELD] }) };
  }
  return { ...request, modelSettings: { ...modelSettings, tags: [HELD] } };
};

/** Asks the hooks before a call of the model, and shows them its answer. */
class ModelCalls {
  readonly #hooks: Hooks;
  readonly #options: ModelOptions;

  constructor(hooks: Hooks, options: ModelOptions) {
    this.#hooks = hooks;
    this.#options = options;
  }

  async call(original: AgentRequest, handler: Handler): Promise<AIMessage> {
    const stopped = takeStopped(this.#hooks, () => answeredCalls(original.messages));
    if (stopped !== undefined) return shownAs(new AIMessage({ content: stoppedText(stopped), ...marked('stopped') }));
    const view = once(() => viewOf(original));
    const { signal } = original.runtime;
    const before = await beforeModelCall(this.#hooks, callOf(view, signal));
    if (before?.response !== undefined) return shownAs(new AIMessage({ content: textIn(before.response.content) }));
    const request = before === undefined ? original : this.#changed(original, view(), before.request);
    const isHeld = this.#isHeld();
    const answer = await handler(isHeld ? held(request) : request);
    const kept = await this.#after(callOf(before === undefined ? view : () => before.request, signal), answer);
    return isHeld && AIMessage.isInstance(kept) ? shownAs(kept) : kept;
  }

  async #after(call: AdapterModelCall<LangChainRequest, LangChainResponse>, answer: AIMessage): Promise<AIMessage> {
    const message = answer.type === 'ai' ? answer : structuredAnswer(answer);
    if (message === undefined) throw unknownAnswer(answer);
    const before = shown(message);
    const after = await afterModelCall(this.#hooks, call, before);
    if (after === before || after.content === before.content) return answer;
    if (message !== answer) throw structured();
    return retold(message, after.content);
  }

  #isHeld(): boolean {
    const { stream } = this.#options;
    return stream === 'auto' ? this.#hooks.system.wouldRun('AfterModel') : stream === 'hold';
  }

  #changed(original: AgentRequest, before: LangChainRequest, after: LangChainRequest): AgentRequest {
    const request = fromView(original, before, after);
    const wanted = after.model;
    if (wanted === undefined || wanted === before.model) return request;
    return { ...request, model: otherModel('hooksMiddleware', this.#options.modelFor, wanted) };
  }
}

const callOf = (
  request: () => LangChainRequest,
  signal: AbortSignal | undefined,
): AdapterModelCall<LangChainRequest, LangChainResponse> => ({ request, translator: langchainTranslator, signal });

const structured = (): HookwrightError =>
  new HookwrightError(
    'not_supported',
    'An AfterModel hook changed the text of a structured answer, which the agent had read already; hooks can only take it away',
  );

const unknownAnswer = (found: unknown): HookwrightError =>
  new HookwrightError('not_supported', `the model was expected to give an AIMessage; found ${describeValue(found)}`);

/** Gives one answer: callbacks that show messages to the users of an agent look at models, and at nothing else. */
class KeptAnswer extends BaseChatModel {
  readonly #answer: AIMessage;

  constructor(answer: AIMessage) {
    super({});
    this.#answer = answer;
  }

  _llmType(): string {
    return 'hookwright';
  }

  _generate(): Promise<ChatResult> {
    return Promise.resolve({ generations: [{ text: this.#answer.text, message: this.#answer }] });
  }
}

/** The answer as an event of the model for readers of the message stream: it was held back, or a hook gave it. */
const shownAs = async (answer: AIMessage): Promise<AIMessage> => {
  await new KeptAnswer(answer).invoke([]);
  return answer;
};

/** A request of the model in `wrapModelCall`. */
type AgentRequest = Parameters<WrapModelCallHook>[0];

/** What `modelSettings` may hold that hooks know. */
const settings = ['temperature', 'maxTokens', 'topP', 'topK', 'stop'] as const;

/** By which name a model was made; a configurable one keeps it aside. */
const modelNameOf = (model: unknown): string => {
  if (typeof model === 'string') return model;
  if (!isRecord(model)) return 'default';
  const { _defaultConfig: config } = model;
  return (
    textOf(model.model) ?? textOf(model.modelName) ?? (isRecord(config) ? textOf(config.model) : undefined) ?? 'default'
  );
};

const callsTools = (message: BaseMessage): boolean =>
  // Asking a class whether a message is one of its own takes longer than all the rest.
  message.type === 'ai' && AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0;

const entryOf = (message: BaseMessage): LangChainEntry => {
  const { type, content } = message;
  return callsTools(message) ? { type, content, message, callsTools: true } : { type, content, message };
};

/** The request as hooks' translator knows it: the system message is the first of the messages. */
const viewOf = (request: AgentRequest): LangChainRequest => {
  const { systemMessage, messages, toolChoice, tools } = request;
  const entries = messages.map(entryOf);
  if (systemMessage.text !== '') entries.unshift(entryOf(systemMessage));
  const view = {
    ...knownSettings(request.modelSettings ?? {}, settings),
    model: modelNameOf(request.model),
    messages: entries,
    tools,
  };
  return toolChoice === undefined ? view : { ...view, toolChoice };
};

const create = ({ type, content }: LangChainEntry): BaseMessage => {
  const fields = { content: textOf(content) ?? '' };
  return type === 'ai' ? new AIMessage(fields) : new HumanMessage(fields);
};

const isMessage = (value: unknown): value is BaseMessage => isRecord(value) && typeof value._getType === 'function';

const messageFrom = (entry: LangChainEntry): BaseMessage => {
  const { message, content } = entry;
  if (!isMessage(message)) return create(entry);
  return content === message.content ? message : retold(message, content);
};

const isToolChoice = (value: unknown): value is NonNullable<AgentRequest['toolChoice']> =>
  value === 'auto' || value === 'none' || value === 'required' || (isRecord(value) && value.type === 'function');

const changedMessages = (
  request: AgentRequest,
  after: LangChainRequest,
): Pick<AgentRequest, 'messages' | 'systemMessage'> => {
  const { systemMessage } = request;
  const all = after.messages.map((entry) => ({ entry, message: messageFrom(entry) }));
  const others = all.flatMap(({ entry, message }) => (entry.message === systemMessage ? [] : [message]));
  // One that hooks were not shown they have not taken away.
  if (systemMessage.text === '') return { messages: others, systemMessage };
  const systemEntry = all.find(({ entry }) => entry.message === systemMessage)?.message;
  return {
    messages: others,
    systemMessage: SystemMessage.isInstance(systemEntry) ? systemEntry : new SystemMessage(''),
  };
};

/** The request with what hooks changed in its view; the request itself when that is nothing. */
const fromView = (request: AgentRequest, before: LangChainRequest, after: LangChainRequest): AgentRequest => {
  if (after === before) return request;
  const offered = new Set<unknown>(after.tools);
  const { toolChoice } = after;
  const modelSettings = changedSettings(request.modelSettings ?? {}, settings, { ...before }, { ...after });
  return {
    ...request,
    ...(after.messages === before.messages ? {} : changedMessages(request, after)),
    ...(after.tools === before.tools ? {} : { tools: request.tools.filter((tool) => offered.has(tool)) }),
    ...(toolChoice !== before.toolChoice && isToolChoice(toolChoice) ? { toolChoice } : {}),
    ...(modelSettings === undefined ? {} : { modelSettings }),
  };
};

interface Turn {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
}

/** What becomes of the agent's state; nothing when it stays as it is. */
interface Update {
  messages: BaseMessage[];
  jumpTo?: 'end' | 'model';
}

const isPrompt = (message: BaseMessage): boolean => HumanMessage.isInstance(message) && markOf(message) !== 'sent-back';

const promptIn = (messages: readonly BaseMessage[]): BaseMessage | undefined => messages.findLast(isPrompt);

/** Shows the hooks the user's prompt. A prompt that they block gets their reason as its answer, and no model is asked. */
const beforeTurn = async (hooks: Hooks, { messages, signal }: Turn): Promise<Update | undefined> => {
  const last = messages.at(-1);
  if (last === undefined || !isPrompt(last)) return undefined;
  const original = textIn(last.content);
  const { verdict, reason, stopReason, prompt } = await hooks.beforeAgent({ prompt: original, signal });
  if (isAgainst(verdict)) {
    const content = `Prompt blocked by hook: ${reason ?? stopReason ?? 'no reason given'}`;
    return { messages: [new AIMessage({ content, ...marked('blocked') })], jumpTo: 'end' };
  }
  if (prompt === original) return undefined;
  // A message with an id that is there already takes its place.
  return { messages: [retold(last, withText(last.content, prompt))] };
};

/** Shows the hooks the agent's answer. One that they do not accept sends it back to work with their reason. */
const afterTurn = async (hooks: Hooks, { messages, signal }: Turn): Promise<Update | undefined> => {
  const answer = messages.findLast((message) => AIMessage.isInstance(message));
  const prompt = promptIn(messages);
  if (answer === undefined || prompt === undefined || markOf(answer) !== undefined) return undefined;
  const stopHookActive = markOf(messages.findLast((message) => HumanMessage.isInstance(message))) === 'sent-back';
  const { retry, reason } = await hooks.afterAgent({
    prompt: textIn(prompt.content),
    response: textIn(answer.content),
    stopHookActive,
    signal,
  });
  if (!retry) return undefined;
  return {
    messages: [new HumanMessage({ content: reason ?? 'A hook wants more work.', ...marked('sent-back') })],
    jumpTo: 'model',
  };
};

/** A chat model of LangChain, by structure. */
export interface ChatModelLike {
  invoke(messages: never, options?: never): Promise<unknown>;
}

/** A chat model of LangChain as the `askModel` of an engine: it answers hooks of type `prompt`. */
export const fromLanguageModel = (model: ChatModelLike): AskModel => {
  if (typeof model?.invoke !== 'function') {
    const message = `fromLanguageModel takes a chat model; got ${describeValue(model)}`;
    throw new HookwrightError('invalid_argument', message);
  }
  return async ({ prompt, system, signal }) => {
    const user = { role: 'user', content: prompt };
    const messages = system === undefined ? [user] : [{ role: 'system', content: system }, user];
    const answer: unknown = await Reflect.apply(model.invoke, model, [messages, { signal }]);
    if (typeof answer !== 'object' || answer === null) return answer;
    return 'text' in answer ? answer.text : Reflect.get(answer, 'content');
  };
};
