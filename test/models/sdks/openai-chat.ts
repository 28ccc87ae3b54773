import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { openaiChatTranslator } from '../../../src/models/translators.ts';
import { isPair, piecesOf, type SamplesOf } from './pieces.ts';

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;
const call = { id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } } as const;
const second = { id: 'call_2', type: 'function', function: { name: 'pwd', arguments: '{}' } } as const;

const chat: ChatCompletionMessageParam[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is in here?' }, image] },
  { role: 'assistant', content: 'I look.', tool_calls: [call, second] },
  { role: 'tool', tool_call_id: 'call_1', content: 'a b' },
  { role: 'tool', tool_call_id: 'call_2', content: '/tmp' },
  { role: 'assistant', content: 'Two files.' },
  { role: 'user', content: 'Thanks.', name: 'ann' },
];

const ls = { type: 'function', function: { name: 'ls', parameters: {} } } as const;

const requests: ChatCompletionCreateParams[] = [
  { model: 'gpt', messages: chat },
  { model: 'gpt', messages: chat.slice(1), temperature: 0, max_tokens: 50, stop: 'END', tools: [ls], stream: true },
  // The assistant may call without a word.
  {
    model: 'gpt',
    messages: [
      { role: 'user', content: 'What is in here?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'a b' },
      { role: 'developer', content: 'Answer now.' },
    ],
    tool_choice: { type: 'function', function: { name: 'ls' } },
  },
];

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, prompt_tokens_details: { cached_tokens: 1 } };

const answered: ChatCompletion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'I look.', refusal: null, tool_calls: [{ ...call }] },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ],
  usage,
};

const responses: ChatCompletion[] = [
  answered,
  {
    ...answered,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'One.', refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
      {
        index: 1,
        message: { role: 'assistant', content: 'Two.', refusal: null },
        finish_reason: 'length',
        logprobs: null,
      },
    ],
  },
];

const piece = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt' } as const;
const delta = (
  given: ChatCompletionChunk.Choice.Delta,
  finish_reason: ChatCompletionChunk.Choice['finish_reason'] = null,
): ChatCompletionChunk => ({ ...piece, choices: [{ index: 0, delta: given, finish_reason, logprobs: null }] });

const chunks: ChatCompletionChunk[] = [
  delta({ role: 'assistant', content: '', refusal: null }),
  delta({ content: 'I ' }),
  delta({ content: 'look.' }),
  delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'ls', arguments: '' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"path"' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: ':"."}' } }] }),
  delta({}, 'tool_calls'),
  { ...piece, choices: [], usage },
];

export const openaiChat: SamplesOf<typeof openaiChatTranslator> = {
  requests,
  responses,
  toolConfigs: [
    { tool_choice: 'auto', tools: [ls] },
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'ls' } }] },
      },
    },
  ],
  pieces: ({ messages }) => piecesOf(messages),
  isPair,
  streams: [{ chunks, response: answered }],
};
