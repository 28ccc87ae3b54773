// Middleware for agents of LangChain with hooks around prompts, model calls and tool calls.
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
import { describeValue, isRecord, type Members, once, textOf } from '../../kit/index.ts';
import {
  type LangChainEntry,
  type LangChainRequest,
  type LangChainResponse,
  langchainTranslator,
} from '../../models/translators.ts';
import type { AskModel } from '../../protocol/index.ts';
import {
  type AdapterModelCall,
  applySettingChanges,
  findModelByName,
  finishModelCall,
  mustHoldBack,
  pickSettings,
  prepareModelCall,
  type StreamMode,
} from '../core/model-call.ts';
import { formatStop, readRefusal, takeStopReason } from '../core/stopped-calls.ts';
import { expectHooks, reportUnhooked } from '../core/wrapping.ts';
import {
  createMessageMark,
  readMessageMark,
  readText,
  replaceContent,
  replaceText,
  runHookedCall,
} from './hooked-call.ts';

export interface HooksMiddlewareOptions {
  /**
   * Streamed tokens: with `hold`, readers of the stream get the answer after AfterModel hooks have seen it; with
   * `live`, tokens are passed on, and changes only reach the agent. Default `auto`: `hold` if there are AfterModel
   * hooks.
   */
  readonly stream?: StreamMode | undefined;
  /** Returns the model for a name that a hook sets. Without `modelFor`, such a call is an error. */
  readonly modelFor?: ((modelId: string) => AgentModel | undefined) | undefined;
  /**
   * Errors of tools. `message` (default): the model gets the error. `throw`: the error is thrown, for an earlier
   * middleware that retries.
   */
  readonly toolErrors?: 'message' | 'throw' | undefined;
}

/**
 * Middleware for `createAgent` with hooks around prompts, model calls and tool calls. Put it first in the list, so that
 * hooks see the final arguments and results.
 */
export const hooksMiddleware = (hooks: Hooks, options: HooksMiddlewareOptions = {}): AgentMiddleware => {
  expectHooks('hooksMiddleware', hooks);
  const { stream = 'auto', modelFor, toolErrors = 'message' } = options;
  const models = new ModelCalls(hooks, { stream, modelFor });
  return createMiddleware({
    name: 'hookwright',
    beforeAgent: {
      canJumpTo: ['end'],
      hook: ({ messages }, { signal }) => runBeforeAgent(hooks, { messages, signal }),
    },
    wrapModelCall: (request, handler) => models.call(request, handler),
    wrapToolCall: (request, handler) => runHookedCall(hooks, request, handler, toolErrors),
    afterAgent: {
      canJumpTo: ['model'],
      hook: ({ messages }, { signal }) => runAfterAgent(hooks, { messages, signal }),
    },
  });
};

type AgentModel = AgentRequest['model'];
type ModelCallHandler = Parameters<WrapModelCallHook>[1];

interface ModelCallOptions {
  readonly stream: StreamMode;
  readonly modelFor: ((modelId: string) => AgentModel | undefined) | undefined;
}

function* findAnsweredCalls(messages: readonly BaseMessage[]): Iterable<string> {
  for (const message of [...messages].reverse()) {
    if (!ToolMessage.isInstance(message)) return;
    yield message.tool_call_id;
  }
}

const readFinishReason = ({ response_metadata: metadata = {} }: AIMessage): string | undefined =>
  textOf(metadata.finish_reason) ?? textOf(metadata.stop_reason) ?? textOf(metadata.finishReason);

const toResponse = (answer: AIMessage): LangChainResponse => {
  const finish = readFinishReason(answer);
  return { content: answer.content, usage: answer.usage_metadata ?? {}, ...(finish === undefined ? {} : { finish }) };
};

/** With a response schema, a handler returns an object whose `messages` contain the answer. */
const findStructuredAnswer = (answer: object): AIMessage | undefined => {
  const messages: unknown = Reflect.get(answer, 'messages');
  return Array.isArray(messages) ? messages.find((message) => AIMessage.isInstance(message)) : undefined;
};

/** LangChain's stream callbacks skip models with this tag. */
const NO_STREAM_TAG = 'nostream';

const disableStreaming = (request: AgentRequest): AgentRequest => {
  const { model, modelSettings, responseFormat } = request;
  // LangChain requests structured answers differently from a model with a bound configuration.
  if (responseFormat === undefined && isRecord(model) && typeof model.withConfig === 'function') {
    return { ...request, model: model.withConfig({ tags: [NO_STREAM_TAG] }) };
  }
  return { ...request, modelSettings: { ...modelSettings, tags: [NO_STREAM_TAG] } };
};

const reportProviderTools = (hooks: Hooks, tools: readonly object[]): void => {
  for (const tool of tools) {
    if ('invoke' in tool) continue;
    const { type, name = type }: Members = { ...tool };
    if (type === 'function') continue;
    reportUnhooked(hooks, `hooksMiddleware: calls of "${String(name)}" (${String(type)})`, String(name));
  }
};

class ModelCalls {
  readonly #hooks: Hooks;
  readonly #options: ModelCallOptions;

  constructor(hooks: Hooks, options: ModelCallOptions) {
    this.#hooks = hooks;
    this.#options = options;
  }

  async call(original: AgentRequest, handler: ModelCallHandler): Promise<AIMessage> {
    const stopped = takeStopReason(this.#hooks, () => findAnsweredCalls(original.messages));
    if (stopped !== undefined)
      return emitAnswer(new AIMessage({ content: formatStop(stopped), ...createMessageMark('stopped') }));
    reportProviderTools(this.#hooks, original.tools);
    const view = once(() => toLangChainRequest(original));
    const { signal } = original.runtime;
    const before = await prepareModelCall(this.#hooks, toModelCall(view, signal));
    if (before?.response !== undefined)
      return emitAnswer(new AIMessage({ content: readText(before.response.content) }));
    const request = before === undefined ? original : this.#changed(original, view(), before.request);
    const isHeld = mustHoldBack(this.#hooks, this.#options.stream, 'AfterModel');
    const answer = await handler(isHeld ? disableStreaming(request) : request);
    const kept = await this.#after(toModelCall(before === undefined ? view : () => before.request, signal), answer);
    return isHeld && AIMessage.isInstance(kept) ? emitAnswer(kept) : kept;
  }

  async #after(call: AdapterModelCall<LangChainRequest, LangChainResponse>, answer: AIMessage): Promise<AIMessage> {
    const message = answer.type === 'ai' ? answer : findStructuredAnswer(answer);
    if (message === undefined) throw createUnknownAnswerError(answer);
    const before = toResponse(message);
    const after = await finishModelCall(this.#hooks, call, before);
    if (after === before || after.content === before.content) return answer;
    if (message !== answer) throw createStructuredAnswerError();
    return replaceContent(message, after.content);
  }

  #changed(original: AgentRequest, before: LangChainRequest, after: LangChainRequest): AgentRequest {
    const request = applyRequestChanges(original, before, after);
    const wanted = after.model;
    if (wanted === undefined || wanted === before.model) return request;
    return { ...request, model: findModelByName('hooksMiddleware', this.#options.modelFor, wanted) };
  }
}

const toModelCall = (
  request: () => LangChainRequest,
  signal: AbortSignal | undefined,
): AdapterModelCall<LangChainRequest, LangChainResponse> => ({ request, translator: langchainTranslator, signal });

const createStructuredAnswerError = (): HookwrightError =>
  new HookwrightError(
    'not_supported',
    'An AfterModel hook changed the text of a structured answer, which the agent had read already; hooks can only take it away',
  );

const createUnknownAnswerError = (found: unknown): HookwrightError =>
  new HookwrightError('not_supported', `the model was expected to give an AIMessage; found ${describeValue(found)}`);

/** Returns one fixed answer, because stream callbacks see only answers of models. */
class FixedAnswerModel extends BaseChatModel {
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

const emitAnswer = async (answer: AIMessage): Promise<AIMessage> => {
  await new FixedAnswerModel(answer).invoke([]);
  return answer;
};

type AgentRequest = Parameters<WrapModelCallHook>[0];

const settingNames = ['temperature', 'maxTokens', 'topP', 'topK', 'stop'] as const;

const readModelName = (model: unknown): string => {
  if (typeof model === 'string') return model;
  if (!isRecord(model)) return 'default';
  const { _defaultConfig: config } = model;
  return (
    textOf(model.model) ?? textOf(model.modelName) ?? (isRecord(config) ? textOf(config.model) : undefined) ?? 'default'
  );
};

const callsTools = (message: BaseMessage): boolean =>
  // The type is compared first, because `isInstance` is slow.
  message.type === 'ai' && AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0;

const toEntry = (message: BaseMessage): LangChainEntry => {
  const { type, content } = message;
  return callsTools(message) ? { type, content, message, callsTools: true } : { type, content, message };
};

const toLangChainRequest = (request: AgentRequest): LangChainRequest => {
  const { systemMessage, messages, toolChoice, tools } = request;
  const entries = messages.map(toEntry);
  if (systemMessage.text !== '') entries.unshift(toEntry(systemMessage));
  const view = {
    ...pickSettings(request.modelSettings ?? {}, settingNames),
    model: readModelName(request.model),
    messages: entries,
    tools,
  };
  return toolChoice === undefined ? view : { ...view, toolChoice };
};

const isMessage = (value: unknown): value is BaseMessage => isRecord(value) && typeof value._getType === 'function';

const toMessage = ({ type, message, content }: LangChainEntry): BaseMessage => {
  if (isMessage(message)) return content === message.content ? message : replaceContent(message, content);
  const fields = { content: textOf(content) ?? '' };
  return type === 'ai' ? new AIMessage(fields) : new HumanMessage(fields);
};

const isToolChoice = (value: unknown): value is NonNullable<AgentRequest['toolChoice']> =>
  value === 'auto' || value === 'none' || value === 'required' || (isRecord(value) && value.type === 'function');

const applyMessageChanges = (
  request: AgentRequest,
  after: LangChainRequest,
): Pick<AgentRequest, 'messages' | 'systemMessage'> => {
  const { systemMessage } = request;
  const all = after.messages.map((entry) => ({ entry, message: toMessage(entry) }));
  const others = all.flatMap(({ entry, message }) => (entry.message === systemMessage ? [] : [message]));
  if (systemMessage.text === '') return { messages: others, systemMessage };
  const systemEntry = all.find(({ entry }) => entry.message === systemMessage)?.message;
  return {
    messages: others,
    systemMessage: SystemMessage.isInstance(systemEntry) ? systemEntry : new SystemMessage(''),
  };
};

const applyRequestChanges = (
  request: AgentRequest,
  before: LangChainRequest,
  after: LangChainRequest,
): AgentRequest => {
  if (after === before) return request;
  const offered = new Set<unknown>(after.tools);
  const { toolChoice } = after;
  const modelSettings = applySettingChanges(request.modelSettings ?? {}, settingNames, { ...before }, { ...after });
  return {
    ...request,
    ...(after.messages === before.messages ? {} : applyMessageChanges(request, after)),
    ...(after.tools === before.tools ? {} : { tools: request.tools.filter((tool) => offered.has(tool)) }),
    ...(toolChoice !== before.toolChoice && isToolChoice(toolChoice) ? { toolChoice } : {}),
    ...(modelSettings === undefined ? {} : { modelSettings }),
  };
};

interface AgentTurn {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
}

interface StateUpdate {
  messages: BaseMessage[];
  jumpTo?: 'end' | 'model';
}

const isPrompt = (message: BaseMessage): boolean =>
  HumanMessage.isInstance(message) && readMessageMark(message) !== 'sent-back';

const runBeforeAgent = async (hooks: Hooks, { messages, signal }: AgentTurn): Promise<StateUpdate | undefined> => {
  const last = messages.findLast(({ type }) => type !== 'system');
  if (last === undefined || !isPrompt(last)) return undefined;
  const original = readText(last.content);
  const answer = await hooks.beforeAgent({ prompt: original, signal });
  const { prompt } = answer;
  const refusal = readRefusal(answer);
  if (refusal !== undefined) {
    const content = `Prompt blocked by hook: ${refusal}`;
    return { messages: [new AIMessage({ content, ...createMessageMark('blocked') })], jumpTo: 'end' };
  }
  if (prompt === original) return undefined;
  // A message with an existing id replaces the old one.
  return { messages: [replaceContent(last, replaceText(last.content, prompt))] };
};

const runAfterAgent = async (hooks: Hooks, { messages, signal }: AgentTurn): Promise<StateUpdate | undefined> => {
  const answer = messages.findLast((message) => AIMessage.isInstance(message));
  const prompt = messages.findLast(isPrompt);
  if (answer === undefined || prompt === undefined || readMessageMark(answer) !== undefined) return undefined;
  const stopHookActive =
    readMessageMark(messages.findLast((message) => HumanMessage.isInstance(message))) === 'sent-back';
  const { retry, reason } = await hooks.afterAgent({
    prompt: readText(prompt.content),
    response: readText(answer.content),
    stopHookActive,
    signal,
  });
  if (!retry) return undefined;
  return {
    messages: [new HumanMessage({ content: reason ?? 'A hook wants more work.', ...createMessageMark('sent-back') })],
    jumpTo: 'model',
  };
};

export interface ChatModelLike {
  invoke(messages: never, options?: never): Promise<unknown>;
}

/** Turns a chat model of LangChain into `askModel` of an engine, which answers hooks of type `prompt`. */
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
