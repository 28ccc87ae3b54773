import type {
  Message,
  MessageCreateParams,
  MessageParam,
  RawMessageStreamEvent,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import type { anthropicTranslator } from '../../../src/models/translators.ts';
import { isPair, piecesOf, type SamplesOf } from './pieces.ts';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const;
const call = { type: 'tool_use', id: 'toolu_1', name: 'ls', input: { path: '.' } } as const;
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'a b' }] } as const;
const thought = { type: 'thinking', thinking: 'What may be in here?', signature: 'sig' } as const;

const messages: MessageParam[] = [
  { role: 'user', content: [{ type: 'text', text: 'What is in here?', cache_control: { type: 'ephemeral' } }, image] },
  { role: 'assistant', content: [thought, { type: 'text', text: 'I look.' }, call] },
  { role: 'user', content: [{ ...result, content: [...result.content] }] },
  { role: 'assistant', content: 'Two files.' },
  { role: 'user', content: 'Thanks.' },
];

const ls = { name: 'ls', input_schema: { type: 'object' } } as const;

/** The SDK no longer names `temperature`; the API still takes it. */
const requests: (MessageCreateParams & { temperature?: number })[] = [
  { model: 'claude', max_tokens: 100, messages },
  {
    model: 'claude',
    max_tokens: 100,
    messages,
    system: 'Be brief.',
    temperature: 0,
    stop_sequences: ['END'],
    tools: [ls],
  },
];

const made: ToolUseBlock = { ...call, caller: { type: 'direct' } };

const usage = {
  input_tokens: 5,
  output_tokens: 9,
  cache_creation: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: 2,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};

const answered: Message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [thought, { type: 'text', text: 'I look.', citations: null }, made],
  stop_reason: 'tool_use',
  stop_sequence: null,
  container: null,
  diagnostics: null,
  stop_details: null,
  usage,
};

const chunks: RawMessageStreamEvent[] = [
  {
    type: 'message_start',
    message: { ...answered, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'What may ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'be in here?' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: null } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I ' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'look.' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { ...made, input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"path"' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':"."}' } },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null, container: null, stop_details: null },
    usage: {
      output_tokens: 9,
      input_tokens: null,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      output_tokens_details: null,
      server_tool_use: null,
    },
  },
  { type: 'message_stop' },
];

export const anthropic: SamplesOf<typeof anthropicTranslator> = {
  requests,
  responses: [
    answered,
    { ...answered, content: [{ type: 'text', text: 'No.', citations: null }], stop_reason: 'refusal' },
  ],
  toolConfigs: [{ tool_choice: { type: 'any' }, tools: [ls] }, { tool_choice: { type: 'tool', name: 'ls' } }],
  pieces: ({ messages }) => piecesOf(messages),
  isPair,
  streams: [{ chunks, response: answered }],
};
