import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, type WrapModelCallHook } from 'langchain';
import { isRecord, textOf } from '../../kit/index.ts';
import type { LangChainEntry, LangChainRequest } from '../../models/translators.ts';
import { retold } from './messages.ts';

/** A request of the model in `wrapModelCall`. */
export type AgentRequest = Parameters<WrapModelCallHook>[0];
type Members = Readonly<Record<string, unknown>>;

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

const knownSettings = ({ modelSettings }: AgentRequest): Members => {
  if (modelSettings === undefined) return {};
  return Object.fromEntries(
    settings.flatMap((key) => (modelSettings[key] === undefined ? [] : [[key, modelSettings[key]] as const])),
  );
};

/** The request as hooks' translator knows it: the system message is the first of the messages. */
export const viewOf = (request: AgentRequest): LangChainRequest => {
  const { systemMessage, messages, toolChoice, tools } = request;
  const entries = messages.map(entryOf);
  if (systemMessage.text !== '') entries.unshift(entryOf(systemMessage));
  const view = { ...knownSettings(request), model: modelNameOf(request.model), messages: entries, tools };
  return toolChoice === undefined ? view : { ...view, toolChoice };
};

const create = ({ type, content }: LangChainEntry): BaseMessage => {
  const said = { content: textOf(content) ?? '' };
  return type === 'ai' ? new AIMessage(said) : new HumanMessage(said);
};

const isMessage = (value: unknown): value is BaseMessage => isRecord(value) && typeof value._getType === 'function';

const messageFrom = (entry: LangChainEntry): BaseMessage => {
  const { message, content } = entry;
  if (!isMessage(message)) return create(entry);
  return content === message.content ? message : retold(message, content);
};

const isToolChoice = (value: unknown): value is NonNullable<AgentRequest['toolChoice']> =>
  value === 'auto' || value === 'none' || value === 'required' || (isRecord(value) && value.type === 'function');

const changedSettings = (request: AgentRequest, before: Members, after: Members): Members => {
  const changed = settings.filter((key) => before[key] !== after[key]);
  if (changed.length === 0) return {};
  const modelSettings: Record<string, unknown> = { ...request.modelSettings };
  for (const key of changed) {
    if (after[key] === undefined) Reflect.deleteProperty(modelSettings, key);
    else modelSettings[key] = after[key];
  }
  return { modelSettings };
};

const changedMessages = (
  request: AgentRequest,
  after: LangChainRequest,
): Pick<AgentRequest, 'messages' | 'systemMessage'> => {
  const { systemMessage } = request;
  const all = after.messages.map((entry) => ({ entry, message: messageFrom(entry) }));
  const others = all.flatMap(({ entry, message }) => (entry.message === systemMessage ? [] : [message]));
  // One that hooks were not shown they have not taken away.
  if (systemMessage.text === '') return { messages: others, systemMessage };
  const told = all.find(({ entry }) => entry.message === systemMessage)?.message;
  return { messages: others, systemMessage: SystemMessage.isInstance(told) ? told : new SystemMessage('') };
};

/** The request with what hooks changed in its view; the request itself when that is nothing. */
export const fromView = (request: AgentRequest, before: LangChainRequest, after: LangChainRequest): AgentRequest => {
  if (after === before) return request;
  const offered = new Set<unknown>(after.tools);
  const { toolChoice } = after;
  return {
    ...request,
    ...(after.messages === before.messages ? {} : changedMessages(request, after)),
    ...(after.tools === before.tools ? {} : { tools: request.tools.filter((tool) => offered.has(tool)) }),
    ...(toolChoice !== before.toolChoice && isToolChoice(toolChoice) ? { toolChoice } : {}),
    ...changedSettings(request, { ...before }, { ...after }),
  };
};
