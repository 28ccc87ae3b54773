import { isRecord } from '../../kit/index.ts';
import { listOf } from '../json-tools.ts';
import type { ResponseFacts } from '../sdk/response.ts';
import type { ChatResponse } from './sdk-types.ts';

const messageOf = ({ message }: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  isRecord(message) ? message : { role: 'assistant' };

export const response: ResponseFacts<ChatResponse> = {
  expected: '`choices`',
  isOwn: ({ choices }) => Array.isArray(choices),
  candidatesOf: ({ choices }) => listOf(choices).filter(isRecord),
  withCandidates: (_response, choices) => ({ choices }),
  textsOf: (choice) => {
    const { content } = messageOf(choice);
    return typeof content === 'string' && content !== '' ? [content] : [];
  },
  withTexts: (choice, texts) => ({
    ...choice,
    // Probabilities of the words of another text say nothing.
    ...(choice.logprobs == null ? {} : { logprobs: null }),
    message: { ...messageOf(choice), content: texts.length === 0 ? null : texts.join('') },
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
