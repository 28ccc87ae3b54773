import { listOf } from '../json-tools.ts';
import type { ResponseFacts } from '../sdk/response.ts';
import { textParts, typedParts } from '../text-parts.ts';
import type { MessagesResponse } from './sdk-types.ts';

const parts = textParts(
  typedParts({ text: ['text'], leading: ['thinking', 'redacted_thinking'], positional: { citations: null } }),
);

const toBlock = (text: string) => ({ type: 'text', text, citations: null });

export const response: ResponseFacts<MessagesResponse> = {
  expected: '`content` and `stop_reason`',
  isOwn: ({ content, stop_reason }) => Array.isArray(content) && stop_reason !== undefined,
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => ({ content: candidate.content, stop_reason: candidate.stop_reason }),
  textsOf: ({ content }) => parts.textsOf(listOf(content)),
  withTexts: (candidate, texts) => ({
    ...candidate,
    content: parts.replaceTexts(listOf(candidate.content), texts, toBlock),
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
