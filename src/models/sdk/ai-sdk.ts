/** Translates the calls and results of the Vercel AI SDK's language models. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { LLMMessage } from '../../protocol/index.ts';
import { listOrEmpty } from '../json-values.ts';
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

const partFacts = typedParts({ text: ['text'], leading: ['reasoning'] });
const textPartOperations = createTextPartOperations(partFacts);

const toTextPart = (text: string) => ({ type: 'text', text });

const unknownTokenCount = { total: undefined };

const responseFacts: ResponseFacts<GenerateResult> = {
  expected: '`content` and `finishReason`',
  isOwn: ({ content, finishReason }) => Array.isArray(content) && finishReason !== undefined,
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => ({
    content: candidate.content,
    finishReason: candidate.finishReason,
  }),
  textsOf: ({ content }) => textPartOperations.textsOf(listOrEmpty(content)),
  withTexts: (candidate, texts) => ({
    ...candidate,
    content: textPartOperations.replaceTexts(listOrEmpty(candidate.content), texts, toTextPart),
  }),
  finishOf: ({ finishReason }) => (isRecord(finishReason) ? finishReason.unified : finishReason),
  withFinish: (candidate, unified) => ({
    ...candidate,
    finishReason: isRecord(candidate.finishReason) ? { ...candidate.finishReason, unified } : unified,
  }),
  finishWords: { stop: 'STOP', length: 'MAX_TOKENS', 'content-filter': 'SAFETY', 'tool-calls': 'STOP', other: 'OTHER' },
  usage: {
    promptTokenCount: ['inputTokens'],
    candidatesTokenCount: ['outputTokens'],
    totalTokenCount: ['totalTokens'],
  },
  create: () => ({
    content: [],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { ...unknownTokenCount, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { ...unknownTokenCount, text: undefined, reasoning: undefined },
    },
    warnings: [],
  }),
};

const toolChoiceFacts: ToolChoiceFacts = {
  key: 'toolChoice',
  read: createTypedChoiceReader('toolName'),
  create: createSingleChoiceWriter(
    (toolName) => ({ type: 'tool', toolName }),
    (mode) => ({ type: toolChoiceModeNames[mode] }),
  ),
  nameOf: ({ name }) => name,
};

const createPromptMessage = ({ role, content }: LLMMessage): object => ({
  role: role === 'model' ? 'assistant' : 'user',
  content: [toTextPart(content)],
});

const requestFacts: RequestFacts<SdkCallOptions> = {
  expected: '`prompt`, a list of messages',
  isOwn: ({ prompt }) => Array.isArray(prompt),
  messages: 'prompt',
  entries: {
    roleOf: rolesBy({ user: 'user', assistant: 'model', system: 'system' }),
    parts: partFacts,
    // Several providers refuse a system message after the first user message.
    create: asMarkedUser(createPromptMessage),
    belongTogether: (_one, { role }) => role === 'tool',
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    createNumberSetting('maxOutputTokens', 'maxOutputTokens'),
    createNumberSetting('topP', 'topP'),
    createNumberSetting('topK', 'topK'),
    createNumberSetting('seed', 'seed'),
    createNumberSetting('presencePenalty', 'presencePenalty'),
    createNumberSetting('frequencyPenalty', 'frequencyPenalty'),
    createListSetting('stopSequences', 'stopSequences'),
  ],
  tools: toolChoiceFacts,
  create: (model) => (model === '' ? { prompt: [] } : { model, prompt: [] }),
};

const contentTypeByStartType: Readonly<Record<string, string>> = {
  'text-start': 'text',
  'reasoning-start': 'reasoning',
};

/** Types of stream parts that are complete content parts, not beginnings or pieces. */
const completePartTypes: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'source',
  'custom',
]);

const readMetadata = ({ providerMetadata }: Members): Members =>
  providerMetadata === undefined ? {} : { providerMetadata };

const removeType = ({ type, ...members }: Members): Members => members;

const joinStreamParts = (streamParts: Iterable<StreamPart>): GenerateResult => {
  const content: Record<string, unknown>[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  let result: GenerateResult & Members = { content: [], finishReason: 'other', usage: {}, warnings: [] };
  for (const part of streamParts) {
    const members: Members = { ...part };
    const { type } = part;
    const kind = contentTypeByStartType[type];
    if (kind !== undefined) {
      const begun = { type: kind, text: '', ...readMetadata(members) };
      open.set(members.id, begun);
      content.push(begun);
    } else if (type.endsWith('-delta') || type.endsWith('-end')) {
      const begun = open.get(members.id);
      if (begun === undefined) continue;
      if (typeof members.delta === 'string') begun.text = `${begun.text}${members.delta}`;
      Object.assign(begun, readMetadata(members));
    } else if (completePartTypes.has(type)) content.push({ ...members });
    else if (type === 'stream-start') result = { ...result, ...removeType(members) };
    else if (type === 'response-metadata') result = { ...result, response: removeType(members) };
    else if (type === 'finish') result = { ...result, ...removeType(members) };
  }
  return { ...result, content };
};

type AiSdkTranslator = SdkTranslator<SdkCallOptions, GenerateResult, CallTools, StreamPart>;

const createTranslator = (request: RequestFacts<SdkCallOptions>): AiSdkTranslator =>
  new SdkTranslator({ name: 'ai-sdk', request, response: responseFacts, noTools: {}, join: joinStreamParts });

export const aiSdkTranslator: AiSdkTranslator = createTranslator(requestFacts);

/** Translator for one model. Requests of the AI SDK do not name their model, so hooks would not see it otherwise. */
export const aiSdkTranslatorOf = (model: string): AiSdkTranslator => createTranslator({ ...requestFacts, model });

/** Types of the AI SDK's language model specification (v3 in AI SDK 6, v4 in 7), without importing the SDK. */
export interface CallTools {
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
}

export interface SdkCallOptions extends CallTools {
  readonly prompt: readonly object[];
  /** Model name that the adapter adds for hooks. The SDK's own options have no model name. */
  readonly model?: string;
}

export interface GenerateResult {
  readonly content: readonly object[];
  readonly finishReason: object | string;
  readonly usage: object;
  readonly warnings: readonly object[];
}

export interface StreamPart {
  readonly type: string;
}
