/** Translates requests and responses of the OpenAI Responses API. */
import { isRecord, isSameList, type Members } from '../../kit/index.ts';
import { isFiniteNumber, listOrEmpty } from '../json-values.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import { createTextPartOperations, typedParts } from '../text-parts.ts';
import { createOpenaiToolChoiceFacts, type OpenaiTools, readOpenaiRole } from './openai-shared.ts';
import type { RequestFacts } from './request-translation.ts';
import type { ResponseFacts } from './response-translation.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createNumberSetting } from './setting-facts.ts';

const isResponse = (value: unknown): value is ResponsesResponse => isRecord(value) && Array.isArray(value.output);

/** The last event of a stream has the complete response. From a truncated stream only finished items are used. */
const joinEvents = (events: Iterable<ResponsesEvent>): ResponsesResponse => {
  let begun: ResponsesResponse = { output: [] };
  const done: unknown[] = [];
  for (const event of events) {
    const { type, response, item, output_index: index }: Members = { ...event };
    if (isResponse(response)) begun = response;
    if (type === 'response.output_item.done') done[isFiniteNumber(index) ? index : done.length] = item;
    if (/^response\.(completed|incomplete|failed)$/.test(event.type) && isResponse(response)) return response;
  }
  return { ...begun, output: done.filter(isRecord) };
};

const toolChoiceFacts = createOpenaiToolChoiceFacts({
  ofTool: (name) => ({ type: 'function', name }),
  nameOf: ({ name }) => name,
  ofTools: (allowed) => ({ type: 'allowed_tools', ...allowed }),
  allowedIn: (choice) => (choice.type === 'allowed_tools' ? choice : undefined),
});

/** The API refuses anything between a call and its result, and between a reasoning item and its successor. */
const mustStayTogether = (one: Members, other: Members): boolean =>
  one.type === 'reasoning' || (typeof other.type === 'string' && other.type.endsWith('_output'));

export const responsesRequestFacts: RequestFacts<ResponsesRequest> = {
  expected: '`input`',
  isOwn: (request) =>
    (typeof request.input === 'string' || Array.isArray(request.input)) &&
    fitsNoOtherSdk('request', 'openai-responses', request),
  messages: 'input',
  entries: {
    // Calls, results, reasoning and references have no role, so hooks do not see them.
    roleOf: readOpenaiRole,
    parts: typedParts({ text: ['input_text', 'output_text'], positional: { annotations: [], logprobs: undefined } }),
    create: ({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content }),
    belongTogether: mustStayTogether,
    ofText: (content) => ({ role: 'user', content }),
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    createNumberSetting('maxOutputTokens', 'max_output_tokens'),
    createNumberSetting('topP', 'top_p'),
  ],
  tools: toolChoiceFacts,
  create: (model) => ({ model, input: [] }),
};

const textPartOperations = createTextPartOperations(
  typedParts({ text: ['output_text'], positional: { annotations: [], logprobs: undefined } }),
);

const isOutputMessage = (item: unknown): item is Record<string, unknown> =>
  isRecord(item) && Array.isArray(item.content) && item.type === 'message';

const readTexts = (item: unknown): string[] =>
  isOutputMessage(item) ? textPartOperations.textsOf(listOrEmpty(item.content)) : [];

const toTextPart = (text: string) => ({ type: 'output_text', text, annotations: [] });

const createMessage = (texts: readonly string[]) => ({
  type: 'message',
  id: 'msg_hookwright',
  role: 'assistant',
  status: 'completed',
  content: texts.map(toTextPart),
});

/** Hooks see all messages as one answer. Each message keeps its number of texts, and the last message gets the rest. */
const replaceOutputTexts = (output: readonly unknown[], texts: readonly string[]): unknown[] => {
  const messages = output.filter(isOutputMessage);
  if (messages.length === 0) return texts.length === 0 ? [...output] : [...output, createMessage(texts)];
  const last = messages.at(-1);
  let position = 0;
  return output.flatMap((item) => {
    if (!isOutputMessage(item)) return [item];
    const end = item === last ? texts.length : position + readTexts(item).length;
    const content = textPartOperations.replaceTexts(listOrEmpty(item.content), texts.slice(position, end), toTextPart);
    position = end;
    if (content.length === 0) return [];
    return [isSameList(content, listOrEmpty(item.content)) ? item : { ...item, content }];
  });
};

const readFinishReason = ({ status, incomplete_details }: Members): unknown => {
  if (isRecord(incomplete_details) && typeof incomplete_details.reason === 'string') return incomplete_details.reason;
  return status === 'in_progress' || status === 'queued' ? undefined : status;
};

export const responsesResponseFacts: ResponseFacts<ResponsesResponse> = {
  expected: '`output`',
  isOwn: ({ output }) => Array.isArray(output),
  candidatesOf: (source) => [source],
  withCandidates: (_response, [candidate = {}]) => {
    const { output, output_text, status, incomplete_details } = candidate;
    return {
      output,
      ...(output_text !== undefined && { output_text }),
      ...(status !== undefined && { status }),
      ...(incomplete_details !== undefined && { incomplete_details }),
    };
  },
  textsOf: ({ output }) => listOrEmpty(output).flatMap(readTexts),
  withTexts: (candidate, texts) => ({
    ...candidate,
    output: replaceOutputTexts(listOrEmpty(candidate.output), texts),
    ...(typeof candidate.output_text === 'string' && { output_text: texts.join('') }),
  }),
  finishOf: readFinishReason,
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

export const openaiResponsesTranslator: SdkTranslator<
  ResponsesRequest,
  ResponsesResponse,
  OpenaiTools,
  ResponsesEvent
> = new SdkTranslator({
  name: 'openai-responses',
  request: responsesRequestFacts,
  response: responsesResponseFacts,
  noTools: {},
  join: joinEvents,
});

export interface ResponsesRequest extends OpenaiTools {
  readonly model?: string;
  readonly input?: string | readonly object[];
}

export interface ResponsesResponse {
  readonly output: readonly object[];
  readonly usage?: object;
  readonly output_text?: string;
}

export interface ResponsesEvent {
  readonly type: string;
}
