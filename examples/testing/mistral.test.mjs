// Whether a translator of your own is right: requests and responses of the SDK go in, the contract suite says what comes out wrong.
import { describeTranslator } from 'hookwright/testing';
import { mistralTranslator } from './mistral.mjs';

const toolCalls = [{ id: 'a', function: { name: 'ls', arguments: '{}' } }];
const image = { type: 'image_url', imageUrl: 'data:image/png;base64,AA==' };
const tool = (name) => ({ type: 'function', function: { name, parameters: {} } });

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is in here?' }, image] },
  { role: 'assistant', content: 'I look.', toolCalls },
  { role: 'tool', toolCallId: 'a', name: 'ls', content: 'a b' },
  { role: 'assistant', content: 'Two files.' },
  { role: 'user', content: 'Thanks.' },
];
const asked = (content) => ({ role: 'assistant', content });
const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7 };
const complete = {
  id: 'c',
  object: 'chat.completion',
  model: 'mistral-large',
  created: 1,
  choices: [{ index: 0, message: asked('Two files.'), finishReason: 'stop' }],
  usage,
};
const piece = (delta, more) => ({
  data: { id: 'c', model: 'mistral-large', created: 1, choices: [{ index: 0, delta, finishReason: null }], ...more },
});

const saidIn = ({ role, content, toolCalls: calls = [], ...rest }) => {
  if (role === 'tool') return [{ ...rest, content }];
  const parts = typeof content === 'string' ? [content] : content;
  return [...parts.map((part) => part.text ?? part).filter((part) => part !== ''), ...calls];
};

describeTranslator('mistral', () => mistralTranslator, {
  looksLike: ['openai-chat'],
  requests: [
    { model: 'mistral-large', messages },
    { model: 'mistral-large', messages: messages.slice(1), temperature: 0, tools: [tool('ls')], toolChoice: 'auto' },
  ],
  responses: [
    complete,
    { ...complete, choices: [{ index: 0, message: { ...asked(''), toolCalls }, finishReason: 'tool_calls' }] },
  ],
  toolConfigs: [
    { tools: [tool('ls')], toolChoice: 'any' },
    { tools: [tool('ls'), tool('rm')], toolChoice: { type: 'function', function: { name: 'ls' } } },
  ],
  // What a request says, in its order: texts as texts, everything else as it is.
  pieces: (request) => request.messages.flatMap(saidIn),
  isPair: (call, result) => call?.id !== undefined && call.id === result?.toolCallId,
  streams: [
    {
      chunks: [
        piece({ role: 'assistant', content: 'Two ' }),
        piece({ content: 'files.' }),
        { data: { choices: [{ index: 0, delta: { content: '' }, finishReason: 'stop' }], usage } },
      ],
      response: complete,
    },
  ],
});
