/** Translates requests and responses of the Anthropic Messages API. */
import { isRecord, type Members, parseJson } from '../../kit/index.ts';
import { isFiniteNumber, listOrEmpty } from '../json-values.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import { createTextPartOperations, typedParts } from '../text-parts.ts';
import { asMarkedUser, rolesBy } from './conversation-entries.ts';
import type { RequestFacts } from './request-translation.ts';
import type { ResponseFacts } from './response-translation.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createListSetting, createNumberSetting } from './setting-facts.ts';
import {
  createSingleChoiceWriter,
  createTypedChoiceReader,
  type ToolChoiceFacts,
  toolChoiceModeNames,
} from './tool-choice.ts';

const partFacts = typedParts({
  text: ['text'],
  leading: ['thinking', 'redacted_thinking'],
  positional: { citations: null },
});
const textPartOperations = createTextPartOperations(partFacts);

const toBlock = (text: string) => ({ type: 'text', text, citations: null });

const responseFacts: ResponseFacts<MessagesResponse> = {
  expected: '`content` and `stop_reason`',
  isOwn: ({ content, stop_reason }) => Array.isArray(content) && stop_reason !== undefined,
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => ({ content: candidate.content, stop_reason: candidate.stop_reason }),
  textsOf: ({ content }) => textPartOperations.textsOf(listOrEmpty(content)),
  withTexts: (candidate, texts) => ({
    ...candidate,
    content: textPartOperations.replaceTexts(listOrEmpty(candidate.content), texts, toBlock),
  }),
  finishOf: ({ stop_reason }) => stop_reason,
  withFinish: (candidate, stop_reason) => ({ ...candidate, stop_reason }),
  finishWords: {
    end_turn: 'STOP',
    stop_sequence: 'STOP',
    tool_use: 'STOP',
    max_tokens: 'MAX_TOKENS',
    model_context_window_exceeded: 'MAX_TOKENS',
    refusal: 'SAFETY',
  },
  usage: {
    promptTokenCount: ['input_tokens'],
    candidatesTokenCount: ['output_tokens'],
    totalTokenCount: undefined,
  },
  create: () => ({
    id: 'msg_hookwright',
    type: 'message',
    role: 'assistant',
    model: 'hookwright',
    content: [],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  }),
};

const applyDeltaByType: Readonly<Record<string, (block: Members, delta: Members) => Members>> = {
  text_delta: (block, { text }) => ({ ...block, text: `${block.text ?? ''}${text}` }),
  thinking_delta: (block, { thinking }) => ({ ...block, thinking: `${block.thinking ?? ''}${thinking}` }),
  signature_delta: (block, { signature }) => ({ ...block, signature }),
  citations_delta: (block, { citation }) => ({
    ...block,
    citations: [...(Array.isArray(block.citations) ? block.citations : []), citation],
  }),
};

const readArguments = (json: string): unknown => {
  const parsed = parseJson(json);
  return parsed.ok ? parsed.value : {};
};

const toMembers = (value: unknown): Members => (isRecord(value) ? value : {});

/** The last event of a stream has `null` for counters that it does not know. */
const selectKnownMembers = (value: unknown): Members =>
  Object.fromEntries(Object.entries(toMembers(value)).filter(([, count]) => count !== null));

const joinEvents = (events: Iterable<MessagesEvent>): MessagesResponse => {
  let whole: Members = {};
  const blocks: Members[] = [];
  const json: string[] = [];
  for (const event of events) {
    const { type, index, message, content_block: block, delta, usage }: Members = { ...event };
    const at = isFiniteNumber(index) ? index : 0;
    if (type === 'message_start' && isRecord(message)) whole = message;
    else if (type === 'content_block_start' && isRecord(block)) blocks[at] = block;
    else if (type === 'content_block_delta' && isRecord(delta)) {
      if (delta.type === 'input_json_delta') json[at] = `${json[at] ?? ''}${delta.partial_json}`;
      else blocks[at] = applyDeltaByType[String(delta.type)]?.(blocks[at] ?? {}, delta) ?? blocks[at] ?? {};
    } else if (type === 'message_delta') {
      whole = { ...whole, ...toMembers(delta), usage: { ...toMembers(whole.usage), ...selectKnownMembers(usage) } };
    }
  }
  const content = blocks.map((block, index) => {
    const argumentsJson = json[index] ?? '';
    return argumentsJson === '' ? block : { ...block, input: readArguments(argumentsJson) };
  });
  return { stop_reason: null, usage: {}, ...whole, content };
};

const toolChoiceWords = { ...toolChoiceModeNames, ANY: 'any' };

const writeToolChoice = createSingleChoiceWriter(
  (name) => ({ type: 'tool', name }),
  (mode) => ({ type: toolChoiceWords[mode] }),
);

const toolChoiceFacts: ToolChoiceFacts = {
  key: 'tool_choice',
  read: createTypedChoiceReader('name', toolChoiceWords),
  create: (wanted, before) => {
    const { choice, holdsNames } = writeToolChoice(wanted);
    const { disable_parallel_tool_use } = toMembers(before);
    const kept = disable_parallel_tool_use === undefined ? {} : { disable_parallel_tool_use };
    return { choice: { ...toMembers(choice), ...kept }, holdsNames };
  },
  nameOf: ({ name }) => name,
};

const hasBlock = ({ content }: Members, type: string): boolean =>
  listOrEmpty(content).some((block) => isRecord(block) && block.type === type);

const requestFacts: RequestFacts<MessagesRequest> = {
  expected: '`messages` and `max_tokens`',
  isOwn: (request) =>
    Array.isArray(request.messages) &&
    typeof request.max_tokens === 'number' &&
    fitsNoOtherSdk('request', 'anthropic', request),
  messages: 'messages',
  entries: {
    roleOf: rolesBy({ user: 'user', assistant: 'model', system: 'system' }),
    parts: partFacts,
    create: asMarkedUser(({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content })),
    belongTogether: (one, other) => hasBlock(one, 'tool_use') && hasBlock(other, 'tool_result'),
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    { ...createNumberSetting('maxOutputTokens', 'max_tokens'), required: true },
    createNumberSetting('topP', 'top_p'),
    createNumberSetting('topK', 'top_k'),
    createListSetting('stopSequences', 'stop_sequences'),
  ],
  tools: toolChoiceFacts,
  create: (model) => ({ model, max_tokens: 4096, messages: [] }),
};

export const anthropicTranslator: SdkTranslator<MessagesRequest, MessagesResponse, MessagesTools, MessagesEvent> =
  new SdkTranslator({
    name: 'anthropic',
    request: requestFacts,
    response: responseFacts,
    noTools: {},
    join: joinEvents,
  });

export interface MessagesTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: object;
}

export interface MessagesRequest extends MessagesTools {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly object[];
}

export interface MessagesResponse {
  readonly content: readonly object[];
  readonly stop_reason: string | null;
  readonly usage: object;
}

export interface MessagesEvent {
  readonly type: string;
}
