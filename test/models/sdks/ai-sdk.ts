import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { aiSdkTranslator } from '../../../src/models/translators.ts';
import { isPair, piecesOf, type SamplesOf } from './pieces.ts';

const image = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const;
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'ls', input: { path: '.' } } as const;
const result = {
  type: 'tool-result',
  toolCallId: 'call_1',
  toolName: 'ls',
  output: { type: 'text', value: 'a b' },
} as const;
const thought = { type: 'reasoning', text: 'What may be in here?' } as const;

const prompt: LanguageModelV3Prompt = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is in here?' }, image] },
  { role: 'assistant', content: [thought, { type: 'text', text: 'I look.' }, call] },
  { role: 'tool', content: [result] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Two ' },
      { type: 'text', text: 'files.' },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'Thanks.' }], providerOptions: { p: { cache: true } } },
];

const ls = { type: 'function', name: 'ls', inputSchema: { type: 'object' } } as const;

const requests: LanguageModelV3CallOptions[] = [
  { prompt },
  { prompt: prompt.slice(1), temperature: 0, maxOutputTokens: 50, stopSequences: ['END'], tools: [ls], headers: {} },
];

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};

const made = { type: 'tool-call', toolCallId: 'call_2', toolName: 'ls', input: '{"path":"."}' } as const;

const answered: LanguageModelV3GenerateResult = {
  content: [thought, { type: 'text', text: 'I look.' }, made],
  finishReason: { unified: 'tool-calls', raw: 'tool_use' },
  usage,
  warnings: [],
};

const chunks: LanguageModelV3StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'What may be in here?' },
  { type: 'reasoning-end', id: 'r' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'I ' },
  { type: 'text-delta', id: 't', delta: 'look.' },
  { type: 'text-end', id: 't' },
  { type: 'tool-input-start', id: 'call_2', toolName: 'ls' },
  { type: 'tool-input-delta', id: 'call_2', delta: '{"path":"."}' },
  { type: 'tool-input-end', id: 'call_2' },
  made,
  { type: 'finish', finishReason: answered.finishReason, usage },
];

export const aiSdk: SamplesOf<typeof aiSdkTranslator> = {
  requests,
  responses: [
    answered,
    { ...answered, content: [{ type: 'text', text: 'No.' }], finishReason: { unified: 'length', raw: undefined } },
  ],
  toolConfigs: [{ toolChoice: { type: 'required' }, tools: [ls] }, { toolChoice: { type: 'tool', toolName: 'ls' } }],
  pieces: ({ prompt }) => piecesOf(prompt),
  isPair,
  streams: [{ chunks, response: answered }],
};
