/** Translates requests and responses of OpenAI Chat Completions. */
import { isRecord, type Members } from '../../kit/index.ts';
import { isFiniteNumber, listOrEmpty } from '../json-values.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import { typedParts } from '../text-parts.ts';
import { createOpenaiToolChoiceFacts, type OpenaiTools, readOpenaiRole } from './openai-shared.ts';
import { copyWithChanges, type RequestFacts } from './request-translation.ts';
import type { ResponseFacts } from './response-translation.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createListSetting, createNumberSetting } from './setting-facts.ts';

const readMessage = ({ message }: Members): Record<string, unknown> =>
  isRecord(message) ? message : { role: 'assistant' };

const responseFacts: ResponseFacts<ChatResponse> = {
  expected: '`choices`',
  isOwn: ({ choices }) => Array.isArray(choices),
  candidatesOf: ({ choices }) => listOrEmpty(choices).filter(isRecord),
  withCandidates: (_response, choices) => ({ choices }),
  textsOf: (choice) => {
    const { content } = readMessage(choice);
    return typeof content === 'string' && content !== '' ? [content] : [];
  },
  withTexts: (choice, texts) => ({
    ...choice,
    // Log probabilities describe the words of the old text, so they are removed.
    ...(choice.logprobs == null ? {} : { logprobs: null }),
    message: { ...readMessage(choice), content: texts.length === 0 ? null : texts.join('') },
  }),
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

const appendPiece = (before: unknown, piece: unknown): unknown =>
  typeof piece === 'string' ? `${typeof before === 'string' ? before : ''}${piece}` : before;

const joinByIndex = (
  items: JsonObject[],
  pieces: unknown,
  join: (item: JsonObject, piece: JsonObject) => void,
): void => {
  for (const piece of listOrEmpty(pieces).filter(isRecord)) {
    const index = isFiniteNumber(piece.index) ? piece.index : 0;
    let item = items.find((one) => one.index === index);
    if (item === undefined) {
      item = { index };
      items.push(item);
    }
    join(item, piece);
  }
};

const joinCall = (call: JsonObject, { function: called, ...piece }: JsonObject): void => {
  Object.assign(call, piece);
  if (!isRecord(called)) return;
  const before = isRecord(call.function) ? call.function : {};
  call.function = { ...before, ...called, arguments: appendPiece(before.arguments, called.arguments) ?? '' };
};

const joinDelta = (message: JsonObject, { tool_calls, ...delta }: JsonObject, calls: JsonObject[]): void => {
  for (const [key, value] of Object.entries(delta)) {
    if (key !== 'role' && typeof value === 'string') message[key] = appendPiece(message[key], value);
    else if (value != null || !(key in message)) message[key] = value;
  }
  joinByIndex(calls, tool_calls, joinCall);
};

const joinChunks = (chunks: Iterable<ChatChunk>): ChatResponse => {
  const whole: JsonObject = {};
  const choices: JsonObject[] = [];
  const callsOf = new Map<JsonObject, JsonObject[]>();
  for (const chunk of chunks) {
    const { choices: pieces, ...rest } = chunk;
    for (const [key, value] of Object.entries(rest)) if (value != null) whole[key] = value;
    joinByIndex(choices, pieces, (choice, { delta, ...piece }) => {
      const message = isRecord(choice.message) ? choice.message : { role: 'assistant', content: null };
      const calls = callsOf.get(choice) ?? [];
      callsOf.set(choice, calls);
      for (const [key, value] of Object.entries(piece)) if (value != null || !(key in choice)) choice[key] = value;
      if (isRecord(delta)) joinDelta(message, delta, calls);
      choice.message = message;
    });
  }
  for (const [choice, calls] of callsOf) {
    if (calls.length > 0 && isRecord(choice.message))
      choice.message.tool_calls = calls.map(({ index, ...call }) => call);
  }
  return { ...whole, object: 'chat.completion', choices };
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
