import type {
  Response,
  ResponseCreateParams,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import type { openaiResponsesTranslator } from '../../../src/models/translators.ts';
import { isPair, piecesOf, type SamplesOf } from './pieces.ts';

const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' } as const;
const call: ResponseInputItem = { type: 'function_call', call_id: 'call_1', name: 'ls', arguments: '{}' };
const result: ResponseInputItem = { type: 'function_call_output', call_id: 'call_1', output: 'a b' };
const thought: ResponseReasoningItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };

const input: ResponseInputItem[] = [
  { role: 'user', content: [{ type: 'input_text', text: 'What is in here?' }, image] },
  thought,
  call,
  result,
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Two files.', annotations: [] }],
  },
  { role: 'user', content: 'Thanks.' },
];

const ls = { type: 'function', name: 'ls', parameters: {}, strict: false } as const;

const requests: ResponseCreateParams[] = [
  { model: 'gpt', input },
  { model: 'gpt', input, instructions: 'Be brief.', temperature: 0, max_output_tokens: 50, tools: [ls], stream: true },
];

const message: ResponseOutputItem = {
  type: 'message',
  id: 'msg_2',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'I look.', annotations: [], logprobs: [] }],
};

const made: ResponseOutputItem = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_2',
  name: 'ls',
  arguments: '{}',
};

const answered: Response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  output: [thought, message, made],
  output_text: 'I look.',
  usage: {
    input_tokens: 5,
    output_tokens: 3,
    total_tokens: 8,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 1 },
  },
};

const begun: Response = { ...answered, status: 'in_progress', output: [], output_text: '' };
const chunks: ResponseStreamEvent[] = [
  { type: 'response.created', response: begun, sequence_number: 0 },
  {
    type: 'response.output_text.delta',
    item_id: 'msg_2',
    output_index: 1,
    content_index: 0,
    delta: 'I look.',
    logprobs: [],
    sequence_number: 1,
  },
  { type: 'response.output_item.done', item: message, output_index: 1, sequence_number: 2 },
  { type: 'response.completed', response: answered, sequence_number: 3 },
];

/** A stream that ended without its last event. */
const cut: ResponseStreamEvent[] = [
  { type: 'response.created', response: begun, sequence_number: 0 },
  { type: 'response.output_item.done', item: thought, output_index: 0, sequence_number: 1 },
  { type: 'response.output_item.done', item: message, output_index: 1, sequence_number: 2 },
  { type: 'response.output_item.done', item: made, output_index: 2, sequence_number: 3 },
];

const responses: Response[] = [
  answered,
  { ...answered, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
];

export const openaiResponses: SamplesOf<typeof openaiResponsesTranslator> = {
  requests,
  responses,
  toolConfigs: [
    { tool_choice: 'auto', tools: [ls] },
    { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'ls' }] } },
    { tool_choice: { type: 'file_search' } },
  ],
  pieces: ({ input }) => piecesOf(input),
  isPair,
  streams: [
    { chunks, response: answered },
    { chunks: cut, response: { ...begun, output: answered.output } },
  ],
};
