import { isRecord, isSameList } from '../../kit/index.ts';
import { listOf } from '../json-tools.ts';
import type { ResponseFacts } from '../sdk/response-translation.ts';
import { textParts, typedParts } from '../text-parts.ts';
import type { ResponsesResponse } from './responses-types.ts';

type Members = Readonly<Record<string, unknown>>;

const parts = textParts(typedParts({ text: ['output_text'], positional: { annotations: [], logprobs: undefined } }));

const isMessage = (item: unknown): item is Record<string, unknown> =>
  isRecord(item) && Array.isArray(item.content) && item.type === 'message';

const textsIn = (item: unknown): string[] => (isMessage(item) ? parts.textsOf(listOf(item.content)) : []);

const toPart = (text: string) => ({ type: 'output_text', text, annotations: [] });

const createMessage = (texts: readonly string[]) => ({
  type: 'message',
  id: 'msg_hookwright',
  role: 'assistant',
  status: 'completed',
  content: texts.map(toPart),
});

/**
 * The texts of all messages of the output are one answer to hooks. They are put back where as many came from; what a hook
 * adds goes into the last message. A message that says nothing any more is taken out.
 */
const outputWith = (output: readonly unknown[], texts: readonly string[]): unknown[] => {
  const messages = output.filter(isMessage);
  if (messages.length === 0) return texts.length === 0 ? [...output] : [...output, createMessage(texts)];
  const last = messages.at(-1);
  let position = 0;
  return output.flatMap((item) => {
    if (!isMessage(item)) return [item];
    const end = item === last ? texts.length : position + textsIn(item).length;
    const content = parts.replaceTexts(listOf(item.content), texts.slice(position, end), toPart);
    position = end;
    if (content.length === 0) return [];
    return [isSameList(content, listOf(item.content)) ? item : { ...item, content }];
  });
};

const finishOf = ({ status, incomplete_details }: Members): unknown => {
  if (isRecord(incomplete_details) && typeof incomplete_details.reason === 'string') return incomplete_details.reason;
  return status === 'in_progress' || status === 'queued' ? undefined : status;
};

export const response: ResponseFacts<ResponsesResponse> = {
  expected: '`output`',
  isOwn: ({ output }) => Array.isArray(output),
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => {
    const { output, output_text, status, incomplete_details } = candidate;
    // Only what changed, and the SDK's convenience only where the response has it.
    return {
      output,
      ...(output_text !== undefined && { output_text }),
      ...(status !== undefined && { status }),
      ...(incomplete_details !== undefined && { incomplete_details }),
    };
  },
  textsOf: ({ output }) => listOf(output).flatMap(textsIn),
  withTexts: (candidate, texts) => ({
    ...candidate,
    output: outputWith(listOf(candidate.output), texts),
    ...(typeof candidate.output_text === 'string' && { output_text: texts.join('') }),
  }),
  finishOf,
  withFinish: (candidate, word) =>
    word === 'completed'
      ? { ...candidate, status: word, incomplete_details: null }
      : { ...candidate, status: 'incomplete', incomplete_details: { reason: word } },
  finishWords: { completed: 'STOP', max_output_tokens: 'MAX_TOKENS', content_filter: 'SAFETY' },
  usage: {
    promptTokenCount: ['input_tokens'],
    candidatesTokenCount: ['output_tokens'],
    totalTokenCount: ['total_tokens'],
  },
  create: () => ({
    id: 'resp_hookwright',
    object: 'response',
    created_at: 0,
    model: 'hookwright',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [],
    output_text: '',
  }),
};
