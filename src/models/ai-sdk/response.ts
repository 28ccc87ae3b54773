import { isRecord } from '../../kit/index.ts';
import { listOf } from '../json-tools.ts';
import type { ResponseFacts } from '../sdk/response.ts';
import { textParts, typedParts } from '../text-parts.ts';
import type { GenerateResult } from './sdk-types.ts';

const parts = textParts(typedParts({ text: ['text'], leading: ['reasoning'] }));

const toPart = (text: string) => ({ type: 'text', text });

const unknownCount = { total: undefined };

export const response: ResponseFacts<GenerateResult> = {
  expected: '`content` and `finishReason`',
  isOwn: ({ content, finishReason }) => Array.isArray(content) && finishReason !== undefined,
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => ({
    content: candidate.content,
    finishReason: candidate.finishReason,
  }),
  textsOf: ({ content }) => parts.textsOf(listOf(content)),
  withTexts: (candidate, texts) => ({
    ...candidate,
    content: parts.replaceTexts(listOf(candidate.content), texts, toPart),
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
      inputTokens: { ...unknownCount, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { ...unknownCount, text: undefined, reasoning: undefined },
    },
    warnings: [],
  }),
};
