/** Translates LangChain's requests and responses. The adapter turns messages (class instances) into plain entries. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { listOrEmpty } from '../json-values.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import { createTextPartOperations, typedParts } from '../text-parts.ts';
import { asMarkedUser, rolesBy } from './conversation-entries.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createListSetting, createNumberSetting } from './setting-facts.ts';
import { createSingleChoiceWriter, findToolChoiceMode, toolChoiceModeNames } from './tool-choice.ts';

/** A message as hooks see it. `message` is LangChain's own object; absent in a message that a hook added. */
export interface LangChainEntry {
  readonly type: string;
  readonly content: unknown;
  readonly message?: object;
  readonly callsTools?: boolean;
}

export interface LangChainTools {
  readonly tools?: readonly object[];
  readonly toolChoice?: unknown;
}

export interface LangChainRequest extends LangChainTools {
  readonly messages: readonly LangChainEntry[];
  readonly model?: string;
}

export interface LangChainResponse {
  readonly content: unknown;
  readonly finish?: string;
  readonly usage: object;
}

const readToolName = (tool: Members): unknown =>
  tool.name ?? (isRecord(tool.function) ? tool.function.name : undefined);

const readChoice = (choice: unknown): HookToolConfig => {
  if (typeof choice === 'string' && choice !== '') {
    const mode = choice === 'any' ? 'ANY' : findToolChoiceMode(choice);
    return mode === undefined ? { mode: 'ANY', allowedFunctionNames: [choice] } : { mode };
  }
  const name = isRecord(choice) ? readToolName(choice) : undefined;
  return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
};

const partFacts = typedParts({ text: ['text', 'text_delta'], leading: ['reasoning', 'thinking'] });
const textPartOperations = createTextPartOperations(partFacts);

const isEntry = (entry: unknown): boolean => isRecord(entry) && typeof entry.type === 'string' && 'content' in entry;

const requestFacts = {
  expected: '`messages` with `type` and `content`',
  isOwn: ({ messages }: Members) => Array.isArray(messages) && messages.every(isEntry),
  messages: 'messages',
  entries: {
    roleOf: rolesBy({ human: 'user', ai: 'model', system: 'system' }, 'type'),
    parts: partFacts,
    // Several providers refuse a system message that is not the first message.
    create: asMarkedUser(({ role, content }) => ({ type: role === 'model' ? 'ai' : 'human', content })),
    withoutContent: (entry: Members) => (entry.callsTools === true ? { ...entry, content: '' } : undefined),
    belongTogether: (_one: Members, { type }: Members) => type === 'tool',
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    createNumberSetting('maxOutputTokens', 'maxTokens'),
    createNumberSetting('topP', 'topP'),
    createNumberSetting('topK', 'topK'),
    createListSetting('stopSequences', 'stop'),
  ],
  tools: {
    key: 'toolChoice',
    read: readChoice,
    create: createSingleChoiceWriter(
      (name) => ({ type: 'function', function: { name } }),
      (mode) => toolChoiceModeNames[mode],
    ),
    nameOf: readToolName,
  },
  create: (model: string): LangChainRequest => (model === '' ? { messages: [] } : { model, messages: [] }),
};

const responseFacts = {
  expected: '`content` of an answer',
  isOwn: (source: Members) =>
    (typeof source.content === 'string' || Array.isArray(source.content)) &&
    fitsNoOtherSdk('response', 'langchain', source),
  candidatesOf: (source: Members) => [source],
  withCandidates: (_response: Members, [candidate = {}]: readonly Members[]) => ({ content: candidate.content }),
  textsOf: ({ content }: Members) => {
    if (typeof content === 'string') return content === '' ? [] : [content];
    return textPartOperations.textsOf(listOrEmpty(content));
  },
  withTexts: (candidate: Members, texts: readonly string[]) => ({
    ...candidate,
    content: Array.isArray(candidate.content)
      ? textPartOperations.replaceTexts(candidate.content, texts, (text) => ({ type: 'text', text }))
      : texts.join(''),
  }),
  finishOf: ({ finish }: Members) => finish,
  // LangChain keeps the finish reason beside the answer, in the words of the provider, so a hook cannot change it.
  withFinish: (candidate: Members) => candidate,
  finishWords: {
    stop: 'STOP',
    STOP: 'STOP',
    end_turn: 'STOP',
    stop_sequence: 'STOP',
    tool_calls: 'STOP',
    tool_use: 'STOP',
    length: 'MAX_TOKENS',
    max_tokens: 'MAX_TOKENS',
    MAX_TOKENS: 'MAX_TOKENS',
    content_filter: 'SAFETY',
    SAFETY: 'SAFETY',
  },
  usage: {
    promptTokenCount: ['input_tokens'],
    candidatesTokenCount: ['output_tokens'],
    totalTokenCount: ['total_tokens'],
  },
  create: (): LangChainResponse => ({ content: '', usage: {} }),
} as const;

/** LangChain itself joins the chunks of a stream, so the last answer is complete. */
const joinAnswers = (answers: Iterable<LangChainResponse>): LangChainResponse => {
  let whole = responseFacts.create();
  for (const answer of answers) whole = answer;
  return whole;
};

export const langchainTranslator: SdkTranslator<
  LangChainRequest,
  LangChainResponse,
  LangChainTools,
  LangChainResponse
> = new SdkTranslator({
  name: 'langchain',
  request: requestFacts,
  response: responseFacts,
  noTools: {},
  join: joinAnswers,
});
