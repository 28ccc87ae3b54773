/** Translates requests and responses of OpenAI Chat Completions. */
import { isRecord, type Members } from '../../kit/index.ts';
import { isFiniteNumber, listOrEmpty } from '../json-values.ts';
import { copyWithChanges } from '../request-form.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import { createTextPartOperations, typedParts } from '../text-parts.ts';
import { createOpenaiToolChoiceFacts, type OpenaiTools, readOpenaiRole } from './openai-shared.ts';
import type { RequestFacts } from './request-translation.ts';
import type { ResponseFacts } from './response-translation.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createListSetting, createNumberSetting } from './setting-facts.ts';

const readMessage = ({ message }: Members): Record<string, unknown> =>
  isRecord(message) ? message : { role: 'assistant' };

/** Some compatible servers answer with a list of parts. */
const textPartOperations = createTextPartOperations(typedParts({ text: ['text'], leading: ['thinking', 'reasoning'] }));

const replaceContent = (content: unknown, texts: readonly string[]): unknown => {
  if (Array.isArray(content))
    return textPartOperations.replaceTexts(content, texts, (text) => ({ type: 'text', text }));
  return texts.length === 0 ? null : texts.join('');
};

const responseFacts: ResponseFacts<ChatResponse> = {
  expected: '`choices`',
  isOwn: ({ choices }) => Array.isArray(choices),
  candidatesOf: ({ choices }) => listOrEmpty(choices).filter(isRecord),
  withCandidates: (_response, choices) => ({ choices }),
  textsOf: (choice) => {
    const { content } = readMessage(choice);
    if (Array.isArray(content)) return textPartOperations.textsOf(content);
    return typeof content === 'string' && content !== '' ? [content] : [];
  },
  withTexts: (choice, texts) => {
    const message = readMessage(choice);
    return {
      ...choice,
      // Log probabilities describe the words of the old text, so they are removed.
      ...(choice.logprobs == null ? {} : { logprobs: null }),
      message: { ...message, content: replaceContent(message.content, texts) },
    };
  },
  finishOf: ({ finish_reason }) => finish_reason,
  withFinish: (choice, finish_reason) => ({ ...choice, finish_reason }),
  finishWords: {
    stop: 'STOP',
    length: 'MAX_TOKENS',
    content_filter: 'SAFETY',
    tool_calls: 'STOP',
    function_call: 'STOP',
  },
  usage: {
    promptTokenCount: ['prompt_tokens'],
    candidatesTokenCount: ['completion_tokens'],
    totalTokenCount: ['total_tokens'],
  },
  createCandidate: (index) => ({
    index,
    message: { role: 'assistant', content: null, refusal: null },
    finish_reason: 'stop',
    logprobs: null,
  }),
  create: () => ({
    id: 'hookwright',
    object: 'chat.completion',
    created: 0,
    model: 'hookwright',
    choices: [],
  }),
};

/** A message that has one of these members needs no text. */
const membersBesideText = ['tool_calls', 'function_call', 'audio', 'refusal'];

const toolChoiceFacts = createOpenaiToolChoiceFacts({
  ofTool: (name) => ({ type: 'function', function: { name } }),
  nameOf: (tool) => (isRecord(tool.function) ? tool.function : isRecord(tool.custom) ? tool.custom : tool).name,
  ofTools: (allowed) => ({ type: 'allowed_tools', allowed_tools: allowed }),
  allowedIn: ({ allowed_tools: allowed }) => allowed,
});

const requestFacts: RequestFacts<ChatRequest> = {
  expected: '`messages` with `role` and `content`',
  isOwn: (request) => Array.isArray(request.messages) && fitsNoOtherSdk('request', 'openai-chat', request),
  messages: 'messages',
  entries: {
    // `readOpenaiRole` does not know the role of tool results, so hooks do not see tool results.
    roleOf: readOpenaiRole,
    parts: typedParts({ text: ['text'] }),
    create: ({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content }),
    withoutContent: (entry) =>
      membersBesideText.some((part) => entry[part] != null) ? copyWithChanges(entry, { content: null }) : undefined,
    belongTogether: (_one, { role }) => role === 'tool' || role === 'function',
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    createNumberSetting('maxOutputTokens', 'max_completion_tokens', 'max_tokens'),
    createNumberSetting('topP', 'top_p'),
    createNumberSetting('candidateCount', 'n'),
    createNumberSetting('seed', 'seed'),
    createNumberSetting('presencePenalty', 'presence_penalty'),
    createNumberSetting('frequencyPenalty', 'frequency_penalty'),
    createListSetting('stopSequences', 'stop'),
  ],
  tools: toolChoiceFacts,
  create: (model) => ({ model, messages: [] }),
};

type JsonObject = Record<string, unknown>;

/** Members that a stream sends in pieces, also inside tool calls and other objects. */
const dividedKeys: ReadonlySet<string> = new Set(['arguments', 'input', 'text', 'data', 'transcript']);

const isDivided = (key: string): boolean => dividedKeys.has(key);

const joinMembers = (before: unknown, piece: Members, isAppended = isDivided): JsonObject => {
  const joined: JsonObject = isRecord(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(piece)) {
    const known = joined[key];
    if (value == null) joined[key] = known ?? value;
    else if (Array.isArray(value)) joined[key] = joinLists(known, value);
    else if (isRecord(value)) joined[key] = joinMembers(known, value);
    else if (Array.isArray(known)) joined[key] = joinLists(known, [{ type: 'text', text: value }]);
    else joined[key] = typeof known === 'string' && isAppended(key) ? `${known}${value}` : value;
  }
  return joined;
};

/** Some compatible servers number no tool calls, and send the content as a list of parts. */
const findContinued = (items: readonly unknown[], { index, id, type, ...piece }: Members): number => {
  const has = (key: string, value: unknown) => items.findIndex((item) => isRecord(item) && item[key] === value);
  if (isFiniteNumber(index)) return has('index', index);
  if (typeof id === 'string' && id !== '') return has('id', id);
  const last = items.at(-1);
  const isContinued = type === undefined ? isRecord(piece.function) : typeof piece.text === 'string';
  return isContinued && isRecord(last) && (type === undefined || last.type === type) ? items.length - 1 : -1;
};

const joinLists = (before: unknown, pieces: readonly unknown[]): unknown[] => {
  const text = typeof before === 'string' && before !== '' ? [{ type: 'text', text: before }] : [];
  const items: unknown[] = Array.isArray(before) ? before : text;
  for (const piece of pieces) {
    if (isRecord(piece)) {
      const position = findContinued(items, piece);
      items[position === -1 ? items.length : position] = joinMembers(items[position], piece);
    } else items.push(piece);
  }
  return items;
};

const joinChoice = (choice: JsonObject, { delta, ...piece }: Members): JsonObject => {
  const message = choice.message ?? { role: 'assistant', content: null };
  const { role = 'assistant', ...said }: Members = isRecord(delta) ? delta : {};
  return { ...joinMembers(choice, piece), message: { ...joinMembers(message, said, () => true), role } };
};

const removeIndex = (call: unknown): unknown => {
  if (!isRecord(call)) return call;
  const { index: _index, ...rest } = call;
  return rest;
};

const joinChunks = (chunks: Iterable<ChatChunk>): ChatResponse => {
  const whole: JsonObject = {};
  const choices = new Map<number, JsonObject>();
  for (const { choices: pieces, ...rest } of chunks) {
    for (const [key, value] of Object.entries(rest)) if (value != null) whole[key] = value;
    for (const piece of listOrEmpty(pieces).filter(isRecord)) {
      const index = isFiniteNumber(piece.index) ? piece.index : 0;
      choices.set(index, joinChoice(choices.get(index) ?? { index }, piece));
    }
  }
  for (const { message } of choices.values()) {
    if (isRecord(message) && Array.isArray(message.tool_calls))
      message.tool_calls = message.tool_calls.map(removeIndex);
  }
  const sorted = [...choices].sort(([one], [other]) => one - other);
  return { ...whole, object: 'chat.completion', choices: sorted.map(([, choice]) => choice) };
};

export const openaiChatTranslator: SdkTranslator<ChatRequest, ChatResponse, OpenaiTools, ChatChunk> = new SdkTranslator(
  {
    name: 'openai-chat',
    request: requestFacts,
    response: responseFacts,
    noTools: {},
    join: joinChunks,
  },
);

/** Types of Chat Completions, without importing the SDK, so that compatible servers work too. */
export interface ChatRequest extends OpenaiTools {
  readonly model: string;
  readonly messages: readonly object[];
}

export interface ChatResponse {
  readonly object?: string;
  readonly choices: readonly object[];
  readonly usage?: object | null;
}

export interface ChatChunk {
  readonly choices: readonly object[];
  readonly usage?: object | null;
}
